import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AgentEventName } from '../../../../server/src/guests/agent/agent.ts'
import { forgetLogin, loginHeaders } from '../../api/login.ts'
import { eventsIn } from '../../../../server/src/client/client.ts'

export type ThreadEvent = {
  readonly id: string
  readonly event: AgentEventName
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of a thread so far. `draft` is the part of the answer written so far; `final` has the whole answer. */
export type ThreadNews = {
  readonly state: 'connecting' | 'live' | 'lost' | 'ended'
  readonly events: readonly ThreadEvent[]
  readonly draft: { readonly key: string; readonly text: string } | undefined
}

const NOTHING: ThreadNews = { state: 'connecting', events: [], draft: undefined }
const RETRY_MS = [500, 1_000, 2_000, 4_000]
const SILENCE_MS = 40_000
const GATHER_MS = 120
const LONGEST_DRAFT = 200_000

/** Ids are `<event of the journal>.<number within its step>`. */
function isAfter(id: string, last: string | undefined): boolean {
  if (last === undefined) return true
  const [seq = 0, n = 0] = id.split('.').map(Number)
  const [lastSeq = 0, lastN = 0] = last.split('.').map(Number)
  return seq > lastSeq || (seq === lastSeq && n > lastN)
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Adds one event. INVARIANT: an event is counted once, even if it is sent again after a reconnect.
 */
export function withNews(
  news: ThreadNews,
  kind: string,
  data: ThreadEvent['data'],
  id: string | undefined,
): ThreadNews {
  if (kind === 'message_delta') {
    const key = textIn(data['key'])
    const earlier = news.draft?.key === key ? news.draft.text : ''
    return { ...news, draft: { key, text: `${earlier}${textIn(data['text'])}`.slice(0, LONGEST_DRAFT) } }
  }
  if (id === undefined || !isAfter(id, news.events.at(-1)?.id)) return news
  const event: ThreadEvent = { id, event: kind as AgentEventName, data }
  return {
    ...news,
    events: [...news.events, event],
    draft: kind === 'final' || kind === 'error' ? undefined : news.draft,
  }
}

/** A page in the background closes its stream, because browsers allow only a few connections for all tabs. */
function shown(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve()
  return new Promise((done) => {
    const look = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return
      document.removeEventListener('visibilitychange', look)
      done()
    }
    document.addEventListener('visibilitychange', look)
    signal.addEventListener('abort', look)
  })
}

/** Follows a thread from its beginning, and resumes after every lost connection. */
export function useThreadNews(run_id: string | undefined): ThreadNews {
  const client = useQueryClient()
  const [news, setNews] = useState<{ readonly run_id: string | undefined; readonly of: ThreadNews }>({
    run_id,
    of: NOTHING,
  })
  useEffect(() => {
    if (run_id === undefined) return
    const stop = new AbortController()
    let now: ThreadNews = NOTHING
    const isEnded = () => stop.signal.aborted || now.state === 'ended'
    let tries = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const flush = () => {
      timer = undefined
      setNews({ run_id, of: now })
      void client.invalidateQueries({ queryKey: ['threads', 'one', run_id] })
    }
    const show = (next: ThreadNews) => {
      if (next === now) return
      const hasNews = next.events !== now.events
      now = next
      // Parts of an answer are drawn as they arrive; the thread is read again only when it changed.
      if (hasNews) timer ??= setTimeout(flush, GATHER_MS)
      else if (timer === undefined) setNews({ run_id, of: now })
    }
    const once = async () => {
      const attempt = new AbortController()
      const end = () => attempt.abort()
      const onHidden = () => {
        if (document.visibilityState === 'hidden') end()
      }
      stop.signal.addEventListener('abort', end)
      document.addEventListener('visibilitychange', onHidden)
      let silence = setTimeout(end, SILENCE_MS)
      try {
        const last = now.events.at(-1)?.id
        const response = await fetch(`/agent/runs/${encodeURIComponent(run_id)}/events`, {
          headers: { ...loginHeaders(), ...(last === undefined ? {} : { 'last-event-id': last }) },
          credentials: 'same-origin',
          cache: 'no-store',
          signal: attempt.signal,
        })
        if (response.status === 401) return forgetLogin()
        if (response.status === 404) return show({ ...now, state: 'ended' })
        if (!response.ok || response.body === null) return
        tries = 0
        show({ ...now, state: 'live', draft: undefined })
        for await (const { kind, data, id } of eventsIn(response.body)) {
          clearTimeout(silence)
          silence = setTimeout(end, SILENCE_MS)
          if (kind === 'goodbye' && data['reason'] === 'unauthorised') return forgetLogin()
          if (kind === 'goodbye' && data['reason'] === 'ended') show({ ...now, state: 'ended' })
          else if (kind !== '' && kind !== 'hello' && kind !== 'goodbye') show(withNews(now, kind, data, id))
        }
      } catch {
        // The connection broke, or the page is closed; both end this attempt.
      } finally {
        clearTimeout(silence)
        stop.signal.removeEventListener('abort', end)
        document.removeEventListener('visibilitychange', onHidden)
        attempt.abort()
      }
    }
    const run = async () => {
      while (!isEnded()) {
        await shown(stop.signal)
        await once()
        if (isEnded()) return
        if (document.visibilityState === 'hidden') continue
        show({ ...now, state: 'lost', draft: undefined })
        const wait = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 4_000
        tries += 1
        await new Promise((done) => {
          const waited = setTimeout(done, wait)
          stop.signal.addEventListener('abort', () => {
            clearTimeout(waited)
            done(undefined)
          })
        })
      }
    }
    void run()
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [run_id, client])
  return news.run_id === run_id ? news.of : NOTHING
}
