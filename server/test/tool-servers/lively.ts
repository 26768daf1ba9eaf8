import { appendFileSync } from 'node:fs'
import { answer, send, serveRaw } from './raw-server.ts'

/** A server whose calls take time: it reports progress, and records each call and each cancellation that it received. */
const file = process.env['EFFECTS'] ?? '/dev/null'
const leave = (line: string) => appendFileSync(file, `${line}\n`)
const called = new Map<string | number, string>()
const staying: (string | number)[] = []
let tools = ['look', 'steps', 'stay', 'release', 'note', 'typed', 'big', 'grow', 'linger', 'vanish', 'break']

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
const DEFINITIONS: Record<string, object> = {
  steps: { inputSchema: object({ count: { type: 'integer' } }, ['count']) },
  note: { inputSchema: object({ text: { type: 'string' } }, ['text']) },
  typed: {
    inputSchema: object({ text: { type: 'string', 'x-mcp-header': 'Text' } }, ['text']),
    outputSchema: object({ length: { type: 'integer' } }, ['length']),
  },
}

serveRaw({
  tools: () => tools.map((name) => ({ name, description: `the tool ${name}`, ...DEFINITIONS[name] })),
  before({ method, params }) {
    if (method !== 'notifications/cancelled') return false
    leave(`cancelled ${called.get(params?.['requestId'] as number) ?? 'nothing'}`)
    return true
  },
  onCall({ id, name, args, meta }) {
    const text = String(args['text'])
    called.set(id, `${name} ${text}`)
    leave(`${name} ${JSON.stringify(args)}`)
    if (name === 'stay' || name === 'linger') {
      staying.push(id)
      return
    }
    if (name === 'vanish') process.exit(1)
    if (name === 'break') {
      if (text.endsWith('error')) send({ id, error: { code: -32000, message: 'broken' } })
      else send({ id, result: { content: [{ type: 'text', text: 'broken' }], isError: true } })
      return
    }
    if (name === 'release') for (const one of staying.splice(0)) answer(one, 'released')
    if (name === 'steps') {
      const total = Number(args['count'])
      for (let progress = 1; progress <= total; progress += 1)
        send({
          method: 'notifications/progress',
          params: { progressToken: meta['progressToken'], progress, total, message: `step ${progress}` },
        })
      // Clients forget a call's progress with its answer; one that reads both at once would see the answer alone.
      setTimeout(() => answer(id, 'steps done'), 30)
      return
    }
    if (name === 'grow') {
      tools = [...tools, 'grown']
      send({ method: 'notifications/tools/list_changed' })
    }
    if (name === 'typed') {
      const structuredContent = { length: text.length }
      send({ id, result: { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent } })
    } else if (name === 'big') answer(id, `${'hay\n'.repeat(20_000)}the needle 4711\n${'hay\n'.repeat(20_000)}`)
    else answer(id, `${name} done${args['text'] === undefined ? '' : `: ${text}`}`)
  },
})
