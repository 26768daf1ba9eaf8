import type { Caller } from '../../contract/caller.ts'
import type { EventStream } from './event-stream.ts'
import { clientKeyOf } from './http-context.ts'

/** How long a client that lost its stream should wait before it comes back. */
const RETRY_MS = 1_000
/** What was not fetched by then is not waited for any more; the outcome of a call is told by `call_status` for ever. */
const KEPT_MS = 5 * 60_000
const MOST_KEPT = 1_000
const MOST_EVENTS = 500
/** Of all that is kept. */
const MOST_CHARS = 32 * 1024 * 1024

export type StreamEvent = { readonly number: number; readonly text: string }

type Kept = {
  readonly caller: Caller
  readonly speaker: string
  readonly events: StreamEvent[]
  readonly onLost: () => void
  live: EventStream | undefined
  is_over: boolean
  chars: number
}

/** Streams that answer a request, of which a client that lost one can have the rest. */
export type ResumableStreams = {
  /** Makes a stream one that can be resumed. `close` says when nobody hears it any more; `onLost` that nobody came back. */
  keep(name: string, client: Client, live: EventStream, onLost: () => void): EventStream & { close(): void }
  /**
   * Sends what came after this event, and the rest as it comes. Returns how to leave; undefined when this node does not know the stream, or
   * it is another client's.
   */
  resume(speaker: string, place: Place, open: (caller: Caller) => EventStream): (() => void) | undefined
  /** What is known of a stream after this event. */
  eventsAfter(place: Place): readonly StreamEvent[]
}

export type Client = { readonly caller: Caller; readonly session: string | undefined }
export type Place = { readonly stream: string; readonly after: number }

export function createResumableStreams(): ResumableStreams {
  const kept = new Map<string, Kept>()
  let chars = 0

  function forget(name: string): void {
    chars -= kept.get(name)?.chars ?? 0
    kept.delete(name)
  }

  /** The oldest go first: whoever wants those has waited longest already. */
  function makeRoom(): void {
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT && chars <= MOST_CHARS) return
      forget(oldest)
    }
  }

  function leaver(one: Kept, live: EventStream): () => void {
    return () => {
      if (one.live !== live) return
      one.live = undefined
      setTimeout(() => one.live ?? one.onLost(), KEPT_MS).unref()
    }
  }

  return {
    keep(name, { caller, session }, live, onLost) {
      const speaker = clientKeyOf(caller, session)
      const one: Kept = { caller, speaker, events: [], onLost, live, is_over: false, chars: 0 }
      kept.set(name, one)
      let sent = 0
      const count = (more: number) => {
        one.chars += more
        // What was forgotten counts no more.
        if (kept.has(name)) chars += more
      }
      // An event without a message, so that there is something to come back to before the first one.
      live.prime(`${name}.0`, RETRY_MS)
      const send = (text: string) => {
        sent += 1
        one.events.push({ number: sent, text })
        // The last one is the answer; of what was said on the way the newest is worth most.
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
        close: leaver(one, live),
      }
    },
    resume(speaker, { stream, after }, open) {
      const one = kept.get(stream)
      if (one === undefined || one.speaker !== speaker) return undefined
      one.live?.end()
      const live = open(one.caller)
      one.live = live
      for (const { number, text } of one.events) if (number > after) live.send(text, `${stream}.${number}`)
      if (one.is_over) live.end()
      return leaver(one, live)
    },
    eventsAfter: ({ stream, after }) => kept.get(stream)?.events.filter(({ number }) => number > after) ?? [],
  }
}
