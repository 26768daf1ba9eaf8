import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { NOTIFICATION_METHODS, type NotificationMethod } from '../../kernel/ports/upstream.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { idAtEnds, isMessageId, progressOf, type MessageId } from './messages.ts'
import type { Overlong } from './line-reader.ts'
import { lost, type NoResult, type PendingCalls } from './pending-calls.ts'
import { countsMoreValues } from './count-values.ts'
import type { WireSetup } from './wire.ts'

/**
 * Parsing more, and checking each value afterwards, would block the event loop for too long. Lists of thousands of tools are
 * larger.
 */
const MOST_VALUES = 100_000
const MOST_LISTED = 400_000

export type MessageInbox = {
  /**
   * One message: an answer to one of our requests, its progress, or something for the SDK. `within`: the request it was sent in
   * answer to.
   */
  receive(text: string, within?: MessageId): void
  /** One message over the limit. */
  overlong(message: Overlong): void
  /** How many messages could not be assigned. */
  unreadable(): number
}

export type InboxSetup = Pick<WireSetup, 'noise' | 'onNotification'> & {
  readonly server: string
  readonly output_limit: number
  readonly pending: PendingCalls
  readonly transport: () => Transport
}

/** Sorts a server's messages by id: ours go to our requests, everything else to the SDK. */
export function openInbox({
  server,
  output_limit,
  pending,
  transport,
  noise,
  onNotification,
}: InboxSetup): MessageInbox {
  let unreadable = 0
  const too_large = lost(server, 'tool.too_large', { limit: String(output_limit) })
  const too_many = lost(server, 'tool.too_large', { values: `over ${MOST_VALUES}` })

  function spoil(head: string, tail: string, answer: NoResult, says: string): void {
    const id = idAtEnds(head, tail)
    if (id !== undefined) return pending.spoil(id, answer)
    // An answer to nothing: perhaps a log line on the wrong stream. If a call waits for it, it will time out.
    unreadable += 1
    noise(says)
  }

  /** Whether it was handled here. */
  function isOurs(message: JsonObject, within: MessageId | undefined, length: number): boolean {
    const { id, method, params } = message
    if (method === undefined && isMessageId(id)) {
      pending.answer(id, message, length)
      return true
    }
    const progress = progressOf(message)
    if (progress !== undefined) pending.progress(progress.id, progress.says)
    else if (method === 'notifications/message' && isJsonObject(params)) pending.log(within, params)
    else if (isNotice(method)) {
      onNotification(method, isJsonObject(params) ? params : {})
      return false
    } else return false
    return true
  }

  return {
    receive(text, within) {
      // A shorter one cannot hold so many.
      if (text.length >= MOST_VALUES) {
        const [head, tail] = [text.slice(0, ENDS), text.slice(-ENDS)]
        const most = idAtEnds(head, tail) === undefined ? MOST_LISTED : MOST_VALUES
        if (countsMoreValues(text, most))
          return spoil(head, tail, too_many, `sent a message with more than ${most} values`)
      }
      let message: Json
      try {
        message = JSON.parse(text) as Json
      } catch {
        return spoil(text, text, lost(server, 'tool.garbled'), 'sent something that is not JSON')
      }
      if (isJsonObject(message) && isOurs(message, within, text.length)) return
      try {
        if (isMessage(message)) return transport().onmessage?.(parseJSONRPCMessage(message))
      } catch {
        // It only looked like JSON.
      }
      unreadable += 1
      noise('sent something that is not a JSON-RPC message')
    },
    overlong: ({ head, tail, bytes }) =>
      spoil(head, tail, too_large, `sent a message of ${bytes} bytes, which is over its limit`),
    unreadable: () => unreadable,
  }
}

/** How much of a message is searched for its id. */
const ENDS = 256

/** The SDK describes faulty messages at length, so it only gets what could be a message. */
const isMessage = (message: Json): boolean =>
  isJsonObject(message) &&
  message['jsonrpc'] === '2.0' &&
  (typeof message['method'] === 'string' || 'result' in message || 'error' in message)

const isNotice = (method: Json | undefined): method is NotificationMethod =>
  NOTIFICATION_METHODS.some((each) => each === method)
