import type { HubFollower, HubLink, SentToHub } from './ports.ts'
import { WordsAnswer } from './hub.ts'

export type HttpHubSettings = { readonly url: string; readonly key: string; readonly stopping: AbortSignal }

const ANSWER_MS = 10_000
/** The hub answers a question about decisions after this long at the latest. */
const WAIT_S = 20
const MOST_ASKED = 500
const MOST_REPLIES = 500
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** With nothing to ask for, it checks again after this long. */
const IDLE_MS = 5_000
/** Every fourth time it asks even if nothing waits, so that the hub sees the node. */
const SEEN_EVERY = 4

/**
 * A hub over HTTP. The node asks, so it needs no open port; redirects are not followed, because nobody configured their target.
 */
export function httpHub({ url, key, stopping }: HttpHubSettings): HubLink {
  const post = async (path: string, body: unknown, patience: AbortSignal): Promise<SentToHub> => {
    try {
      const answer = await fetch(new URL(path, url.endsWith('/') ? url : `${url}/`), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any([stopping, patience]),
      })
      const text = await answer.text()
      if (!answer.ok) return { is: 'failed', why: `the hub answered with status ${answer.status}${codeIn(text)}` }
      const replies = WordsAnswer.safeParse(JSON.parse(text))
      return replies.success
        ? { is: 'sent', replies: replies.data.words.slice(0, MOST_REPLIES) }
        : { is: 'failed', why: 'the answer is not one of a hub' }
    } catch (error) {
      return { is: 'failed', why: whyOf(error) }
    }
  }
  return {
    send: (message) =>
      post(message.is === 'request' ? 'v1/hub/requests' : 'v1/hub/outcomes', message, AbortSignal.timeout(ANSWER_MS)),
    follow: (follower) => follow(post, follower, stopping),
  }
}

type Post = (path: string, body: unknown, patience: AbortSignal) => Promise<SentToHub>

function follow(post: Post, { pending, take }: HubFollower, stopping: AbortSignal) {
  let woken = new AbortController()
  const stopped = new AbortController()
  const wake = () => woken.abort()
  const loop = async () => {
    let pause = FIRST_PAUSE_MS
    let idle = 0
    while (!stopped.signal.aborted && !stopping.aborted) {
      woken = new AbortController()
      const { signal } = woken
      const approvals = (await pending()).slice(0, MOST_ASKED)
      const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_S * 1_000 + ANSWER_MS)])
      if (approvals.length === 0) {
        if (idle % SEEN_EVERY === 0) await post('v1/hub/decisions', { approvals, wait_s: 0 }, patience)
        idle += 1
        await rest(IDLE_MS, signal, stopping)
        continue
      }
      const asked = await post('v1/hub/decisions', { approvals, wait_s: WAIT_S }, patience)
      if (asked.is === 'failed' && signal.aborted) continue
      const isGood = asked.is === 'sent' && (await takeAll(asked.replies, take))
      // The hub would send decisions that were not accepted again immediately.
      if (!isGood) await rest(pause, stopping)
      pause = isGood ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pause * 2)
    }
  }
  const ended = loop()
  return {
    wake,
    async stop() {
      stopped.abort()
      wake()
      await ended.catch(() => undefined)
    },
  }
}

/** Whether all of them were accepted. */
async function takeAll(replies: readonly string[], take: HubFollower['take']): Promise<boolean> {
  let isGood = true
  for (const reply of replies) isGood = (await take(reply)) && isGood
  return isGood
}

function rest(ms: number, ...ends: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      for (const end of ends) end.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    for (const end of ends) end.addEventListener('abort', over)
    if (ends.some(({ aborted }) => aborted)) over()
  })
}

/** The code of a problem, so that a person sees whether it is the key, the limits or something else. */
function codeIn(text: string): string {
  try {
    const { code } = JSON.parse(text) as { code?: unknown }
    return typeof code === 'string' ? ` (${code.slice(0, 64)})` : ''
  } catch {
    return ''
  }
}

function whyOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'the hub did not answer in time'
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const code = cause !== undefined && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
  return `the hub could not be reached${code}`
}
