export type Posted = 'delivered' | 'failed' | 'stopping'
export type PostBody = { readonly body: string; readonly headers: Readonly<Record<string, string>> }
export type Post = (url: string, letter: PostBody) => Promise<Posted>

const ANSWER_MS = 5_000
const AT_ONCE = 8
const MOST_WAITING = 256

/**
 * Posts to configured addresses, with limited concurrency each. A 2xx answer means delivered; a redirect leads somewhere the
 * operator did not name, so it counts as a failure.
 */
export function openPost(stopping: AbortSignal): Post {
  const lines = new Map<string, { active: number; readonly waiting: (() => void)[] }>()

  async function send(url: string, { body, headers }: PostBody): Promise<Posted> {
    if (stopping.aborted) return 'stopping'
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)])
      const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
      await answer.body?.cancel()
      return answer.ok ? 'delivered' : 'failed'
    } catch {
      return stopping.aborted ? 'stopping' : 'failed'
    }
  }

  return async (url, letter) => {
    const line = lines.get(url) ?? { active: 0, waiting: [] }
    lines.set(url, line)
    if (line.waiting.length >= MOST_WAITING) return 'failed'
    if (line.active >= AT_ONCE) await new Promise<void>((resolve) => line.waiting.push(resolve))
    line.active += 1
    try {
      return await send(url, letter)
    } finally {
      line.active -= 1
      line.waiting.shift()?.()
    }
  }
}
