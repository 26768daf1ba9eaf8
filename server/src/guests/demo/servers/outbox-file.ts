import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type OutboxMessage = {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly body: string
  readonly sent_at: string
}
export type OutboxDraft = Pick<OutboxMessage, 'to' | 'subject' | 'body'>

/** One line of the file. A message is never rewritten; its removal is another line. */
type Line = { readonly sent: OutboxMessage; readonly key?: string } | { readonly deleted: string; readonly at: string }

/** The messages of an outbox, stored as JSON lines in `outbox.jsonl`. It is read again each time, because the file is the only state. */
export function outboxIn(folder: string) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'outbox.jsonl')

  function lines(): Line[] {
    if (!existsSync(file)) return []
    const text = readFileSync(file, 'utf8')
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
  }
  const append = (line: Line) => appendFileSync(file, `${JSON.stringify(line)}\n`)

  function messages(): OutboxMessage[] {
    const all = lines()
    const deleted = new Set(all.flatMap((line) => ('deleted' in line ? [line.deleted] : [])))
    return all.flatMap((line) => ('sent' in line && !deleted.has(line.sent.id) ? [line.sent] : []))
  }

  return {
    messages,
    find: (id: string) => messages().find((message) => message.id === id),
    /** The same key never sends twice: it returns the message of the first time. */
    send(draft: OutboxDraft, key: string | undefined): OutboxMessage {
      const earlier = lines().find((line) => 'sent' in line && key !== undefined && line.key === key)
      if (earlier !== undefined && 'sent' in earlier) return earlier.sent
      const message = { id: `msg_${randomBytes(6).toString('hex')}`, ...draft, sent_at: new Date().toISOString() }
      append(key === undefined ? { sent: message } : { sent: message, key })
      return message
    },
    remove: (id: string) => append({ deleted: id, at: new Date().toISOString() }),
  }
}
