import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import type { UpstreamAnswer } from '../commands/ports.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import { answerOf, idAtEnds, isFrameId, progressOf } from './frames.ts'
import type { Overlong } from './line-reader.ts'
import { lost, type PendingCalls } from './pending-calls.ts'

export type Inbox = {
  /** One message: an answer to one of our calls, its progress, or something for the SDK. */
  hear(text: string): void
  /** One message over the limit. */
  overlong(message: Overlong): void
  /** How many messages were neither. */
  unreadable(): number
}

export type InboxDeps = {
  readonly server: string
  readonly output_limit: number
  readonly pending: PendingCalls
  readonly transport: () => Transport
  readonly noise: (says: string) => void
}

/** What a server says, told apart by ids: ours are for the calls, all else is for the SDK. */
export function openInbox({ server, output_limit, pending, transport, noise }: InboxDeps): Inbox {
  let unreadable = 0
  const too_large = lost(server, 'tool.too_large', { limit: String(output_limit) })

  function spoil(head: string, tail: string, answer: UpstreamAnswer, says: string): void {
    const id = idAtEnds(head, tail)
    if (id !== undefined) return pending.answer(id, answer)
    // Nobody's answer: perhaps a log line on the wrong stream. Whoever did wait for it will time out.
    unreadable += 1
    noise(says)
  }

  return {
    hear(text) {
      let message: Json
      try {
        message = JSON.parse(text) as Json
      } catch {
        return spoil(text, text, lost(server, 'tool.garbled'), 'said something that is not JSON')
      }
      if (isJsonObject(message) && isFrameId(message['id']) && message['method'] === undefined)
        return pending.answer(message['id'], answerOf(server, message))
      const progress = isJsonObject(message) ? progressOf(message) : undefined
      if (progress !== undefined) return pending.progress(progress.id, progress.says)
      try {
        transport().onmessage?.(parseJSONRPCMessage(message))
      } catch {
        unreadable += 1
        noise('said something that is not a JSON-RPC message')
      }
    },
    overlong: ({ head, tail, bytes }) =>
      spoil(head, tail, too_large, `said ${bytes} bytes in one message, over its limit`),
    unreadable: () => unreadable,
  }
}
