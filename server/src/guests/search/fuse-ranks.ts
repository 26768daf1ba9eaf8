import type { Hit } from './create-index.ts'

/** The usual constant: ranks 1 and 2 differ little, ranks 1 and 60 by half. */
export const SMOOTHING = 60
/** Smaller, so that a tool that one list ranks first stays above tools that both lists rank low. */
const MEANING_SMOOTHING = 2
/** A hit by name ranks above everything else. */
export const BY_NAME = 0.99

/** A hit found only by meaning. */
const BY_MEANING: Hit['reason'] = { fields: [], terms: [] }

/**
 * Merges two ranked lists: by words and by meaning. A rank counts by its reciprocal, so the two scales need not be comparable. The more
 * certain the first hit by words, the less meaning counts; `weight` is its weight if the words are not certain at all.
 * INVARIANT: hints are in the order of the list, and the first hit has the best hint of the search by words.
 */
export function fuseRanks(words: readonly Hit[], meanings: readonly string[], count: number, weight: number): Hit[] {
  const named = words.filter(({ score_hint }) => score_hint >= BY_NAME)
  const others = words.filter(({ score_hint }) => score_hint < BY_NAME)
  const scores = new Map<string, number>()
  const add = (ids: readonly string[], most: number) => {
    for (const [at, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + most / (MEANING_SMOOTHING + at + 1))
  }
  const sureness = others[0]?.score_hint ?? 0
  add(
    others.map(({ id }) => id),
    1,
  )
  const fixed = new Set(named.map(({ id }) => id))
  add(
    meanings.filter((id) => !fixed.has(id)),
    weight * (1 - sureness),
  )
  const ranked = [...scores].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const most = ranked[0]?.[1] ?? 1
  const reasons = new Map(others.map(({ id, reason }) => [id, reason]))
  const fused = ranked.map(([id, score]) => ({
    id,
    score,
    score_hint: most > 0 ? sureness * (score / most) : 0,
    reason: reasons.get(id) ?? BY_MEANING,
  }))
  return [...named, ...fused].slice(0, count)
}
