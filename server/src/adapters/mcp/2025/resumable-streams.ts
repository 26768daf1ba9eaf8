import type { Caller } from '../../../kernel/contract/caller.ts'
import type { McpEventStream } from '../event-stream.ts'
import { clientKeyOf } from '../http-context.ts'

/** How long a client that lost its stream should wait before it comes back. */
const RETRY_MS = 1_000
/** After this time an answer is dropped. The outcome of a call can always be read with `call_status`. */
const KEPT_MS = 5 * 60_000
const MOST_KEPT = 1_000
const MOST_EVENTS = 500
/** Of all streams together. */
const MOST_CHARS = 32 * 1024 * 1024

export type SentEvent = { readonly number: number; readonly text: string }

type Kept = {
  readonly caller: Caller
  readonly clientKey: string
  readonly events: SentEvent[]
  readonly onLost: () => void
  live: McpEventStream | undefined
  is_over: boolean
  chars: number
}

/** Streams that answer a request, and that a client can resume after losing its connection. */
export type ResumableStreams = {
  /** Makes a stream resumable. `close`: nobody reads it any more. `onLost`: nobody resumed it in time. */
  keep(name: string, client: StreamClient, live: McpEventStream, onLost: () => void): McpEventStream & { close(): void }
  /**
   * Sends the events after this one, then new ones as they arrive. Returns a function that stops it; undefined if this node does not have the
   * stream, or it belongs to another client.
   */
  resume(clientKey: string, place: StreamPlace, open: (caller: Caller) => McpEventStream): (() => void) | undefined
  /** The stored events of a stream after this one. */
  eventsAfter(place: StreamPlace): readonly SentEvent[]
}

export type StreamClient = { readonly caller: Caller; readonly session: string | undefined }
export type StreamPlace = { readonly stream: string; readonly after: number }

export function createResumableStreams(): ResumableStreams {
  const kept = new Map<string, Kept>()
  let chars = 0

  function forget(name: string): void {
    chars -= kept.get(name)?.chars ?? 0
    kept.delete(name)
  }

  /** The oldest are dropped first: their clients are the least likely to come back. */
  function makeRoom(): void {
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT && chars <= MOST_CHARS) return
      forget(oldest)
    }
  }

  function detacher(one: Kept, live: McpEventStream): () => void {
    return () => {
      if (one.live !== live) return
      one.live = undefined
      setTimeout(() => one.live ?? one.onLost(), KEPT_MS).unref()
    }
  }

  return {
    keep(name, { caller, session }, live, onLost) {
      const clientKey = clientKeyOf(caller, session)
      const one: Kept = { caller, clientKey, events: [], onLost, live, is_over: false, chars: 0 }
      kept.set(name, one)
      let sent = 0
      const count = (more: number) => {
        one.chars += more
        // Dropped streams no longer count.
        if (kept.has(name)) chars += more
      }
      // An event without a message, so that the stream can be resumed even before its first message.
      live.prime(`${name}.0`, RETRY_MS)
      const send = (text: string) => {
        sent += 1
        one.events.push({ number: sent, text })
        // The last message is the answer. Of the messages before it, the newest are kept.
        const [left] = one.events.length > MOST_EVENTS ? one.events.splice(0, 1) : []
        count(text.length - (left?.text.length ?? 0))
        makeRoom()
        one.live?.send(text, `${name}.${sent}`)
      }
      return {
        send,
        prime: live.prime,
        end(text) {
          if (text !== undefined) send(text)
          one.is_over = true
          one.live?.end()
          setTimeout(() => forget(name), KEPT_MS).unref()
        },
        close: detacher(one, live),
      }
    },
    resume(clientKey, { stream, after }, open) {
      const one = kept.get(stream)
      if (one === undefined || one.clientKey !== clientKey) return undefined
      one.live?.end()
      const live = open(one.caller)
      one.live = live
      for (const { number, text } of one.events) if (number > after) live.send(text, `${stream}.${number}`)
      if (one.is_over) live.end()
      return detacher(one, live)
    },
    eventsAfter: ({ stream, after }) => kept.get(stream)?.events.filter(({ number }) => number > after) ?? [],
  }
}
