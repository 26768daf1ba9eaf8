import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { NOTICE_METHODS, type NoticeMethod } from '../commands/ports/upstream.ts'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import { idAtEnds, isFrameId, progressOf, type FrameId } from './frames.ts'
import type { Overlong } from './line-reader.ts'
import { lost, type NoResult, type PendingCalls } from './pending-calls.ts'
import type { WireDeps } from './wire.ts'

export type Inbox = {
  /** One message: an answer to one of our requests, its progress, or something for the SDK. `within`: said in answer to it. */
  hear(text: string, within?: FrameId): void
  /** One message over the limit. */
  overlong(message: Overlong): void
  /** How many messages were neither. */
  unreadable(): number
}

export type InboxDeps = Pick<WireDeps, 'noise' | 'onNotice'> & {
  readonly server: string
  readonly output_limit: number
  readonly pending: PendingCalls
  readonly transport: () => Transport
}

/** What a server says, told apart by ids: ours are for the requests, all else is for the SDK. */
export function openInbox({ server, output_limit, pending, transport, noise, onNotice }: InboxDeps): Inbox {
  let unreadable = 0
  const too_large = lost(server, 'tool.too_large', { limit: String(output_limit) })

  function spoil(head: string, tail: string, answer: NoResult, says: string): void {
    const id = idAtEnds(head, tail)
    if (id !== undefined) return pending.spoil(id, answer)
    // Nobody's answer: perhaps a log line on the wrong stream. Whoever did wait for it will time out.
    unreadable += 1
    noise(says)
  }

  /** Whether it was dealt with here. */
  function isOurs(message: JsonObject, within: FrameId | undefined): boolean {
    const { id, method, params } = message
    if (method === undefined && isFrameId(id)) {
      pending.answer(id, message)
      return true
    }
    const progress = progressOf(message)
    if (progress !== undefined) pending.progress(progress.id, progress.says)
    else if (method === 'notifications/message' && isJsonObject(params)) pending.log(within, params)
    else if (isNotice(method)) {
      onNotice(method, isJsonObject(params) ? params : {})
      return false
    } else return false
    return true
  }

  return {
    hear(text, within) {
      let message: Json
      try {
        message = JSON.parse(text) as Json
      } catch {
        return spoil(text, text, lost(server, 'tool.garbled'), 'said something that is not JSON')
      }
      if (isJsonObject(message) && isOurs(message, within)) return
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

const isNotice = (method: Json | undefined): method is NoticeMethod => NOTICE_METHODS.some((each) => each === method)
