const HALF = 0.55
const STEEPNESS = 3

/**
 * From the share of the best possible score to a chance of being right. Strictly rising, so the order of hits stays.
 */
export function scoreHint(share: number): number {
  if (!(share > 0)) return 0
  return 1 / (1 + (HALF / share) ** STEEPNESS)
}
