import type { Counts } from '../../kernel/ports/counts.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

const MOST = 20_000

/**
 * Counts of one process.
 * INVARIANT: memory is bounded whatever is counted; the oldest count is dropped first.
 */
export function localCounts(clock: Clock): Counts {
  const counts = new Map<string, { readonly count: number; readonly ends: number }>()
  const addOne = (name: string, by: number, window_ms: number, now: number) => {
    const found = counts.get(name)
    const last = found !== undefined && found.ends > now ? found : { count: 0, ends: now + window_ms }
    const next = { ...last, count: Math.max(0, last.count + by) }
    counts.delete(name)
    if (next.count > 0) counts.set(name, next)
    if (counts.size > MOST) forgetOldest()
    return { count: next.count, left_ms: next.ends - now }
  }
  const forgetOldest = () => {
    const [oldest] = counts.keys()
    if (oldest !== undefined) counts.delete(oldest)
  }
  return {
    async add(parts, window_ms) {
      const now = clock()
      return parts.map(({ name, by }) => addOne(name, by, window_ms, now))
    },
  }
}
