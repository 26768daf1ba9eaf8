/**
 * Fitted on the first hits of half of the public queries, every set with equal weight: see docs/decisions/search.md.
 */
const HALF = 0.275
const STEEPNESS = 1.25
/** How much an equally good second hit lowers the first, and the share of the first's score below which it does not. */
const RIVALRY = 3
const HARMLESS = 0.7
/** Fitted on the second to fifth hits in the same way. */
const FALL = 2.5

/**
 * Hints for a ranked list: about how often a tool with this score is right. The first hit's hint depends on its share of the best
 * possible score and on how close the second is; each other decreases with its distance to the first, so two close hints mean two
 * nearly equal scores.
 * INVARIANT: hints are in the order of the scores, between 0 and 1.
 */
export function scoreHints(scores: readonly number[], ideal: number): number[] {
  const first = scores[0] ?? 0
  if (!(first > 0) || !(ideal > 0)) return scores.map(() => 0)
  const rival = Math.exp(RIVALRY * (Math.min(1, (scores[1] ?? 0) / first) - HARMLESS))
  const top = 1 / (1 + (HALF / (first / ideal)) ** STEEPNESS * rival)
  return scores.map((score) => top * Math.min(1, Math.max(0, score) / first) ** FALL)
}
