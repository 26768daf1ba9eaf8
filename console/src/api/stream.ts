import { eventsIn } from '../../../server/src/client/client.ts'
import type { ChangeKind } from '../../../server/src/kernel/contract/change.ts'
import { storeOf } from '../lib/store.ts'
import { forgetLogin, readLogin, loginHeaders } from './login.ts'

/** One line of the stream: what changed, never its contents. */
export type ChangeEvent = {
  readonly kind: ChangeKind | 'reset' | 'hello' | 'goodbye' | (string & {})
  readonly data: Readonly<Record<string, unknown>>
}

/** `rereading`: the connection is back, but the page still shows old data. */
export type StreamState = {
  readonly state: 'connecting' | 'rereading' | 'live' | 'lost'
  /** When the gate last sent something. */
  readonly heard_at: number
}

export const connection = storeOf<StreamState>({ state: 'connecting', heard_at: Date.now() })

const SILENCE_MS = 40_000
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000]

type Listener = {
  readonly onEvent: (event: ChangeEvent) => void
  /** Refreshes everything that the page shows. Deciding is disabled until then. */
  readonly reread: () => Promise<unknown>
}

/** Follows changes until it is stopped, and reconnects after every lost connection. */
export function followStream({ onEvent, reread }: Listener): () => void {
  const stop = new AbortController()
  let last: string | undefined
  let tries = 0
  const say = (state: StreamState['state']) => connection.set({ state, heard_at: Date.now() })
  const lose = () => {
    if (!stop.signal.aborted) connection.set({ state: 'lost', heard_at: connection.get().heard_at })
  }
  const readAgain = async () => {
    say('rereading')
    try {
      await reread()
      if (connection.get().state === 'rereading') say('live')
    } catch {
      lose()
    }
  }

  const once = async () => {
    const attempt = new AbortController()
    const end = () => attempt.abort()
    stop.signal.addEventListener('abort', end)
    let silence = setTimeout(end, SILENCE_MS)
    try {
      const response = await fetch('/v1/stream', {
        headers: { ...loginHeaders(), ...(last === undefined ? {} : { 'last-event-id': last }) },
        credentials: 'same-origin',
        cache: 'no-store',
        // What the page shows first is more urgent, and a request that never ends must not count as part of loading.
        priority: 'low',
        signal: attempt.signal,
      })
      if (response.status === 401) return forgetLogin()
      if (response.status === 403) return await readLogin()
      if (!response.ok || response.body === null) return
      tries = 0
      // Changes between the first read of the page and now are not in the stream, so everything is read again.
      await readAgain()
      for await (const event of eventsIn(response.body)) {
        clearTimeout(silence)
        silence = setTimeout(end, SILENCE_MS)
        if (event.id !== undefined) last = event.id
        if (event.kind === 'reset') await readAgain()
        else if (event.kind === 'goodbye' && event.data['reason'] === 'unauthorised') return forgetLogin()
        else if (event.kind !== '') onEvent(event)
        if (connection.get().state === 'live') say('live')
      }
    } catch {
      // The connection broke, or the page is closed; both end this attempt.
    } finally {
      clearTimeout(silence)
      stop.signal.removeEventListener('abort', end)
      attempt.abort()
    }
  }

  const run = async () => {
    while (!stop.signal.aborted) {
      await once()
      if (stop.signal.aborted) return
      lose()
      const wait = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 8_000
      tries += 1
      await pause(wait, stop.signal)
    }
  }
  void run()
  return () => stop.abort()
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
