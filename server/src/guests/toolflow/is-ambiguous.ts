import type { ToolflowCandidate, ToolflowSettings } from './toolflow.ts'

/** Whether it is unclear which tool is meant: the first is a guess, or the second is nearly as good. */
export function isAmbiguous(
  [first, second]: readonly Pick<ToolflowCandidate, 'score_hint'>[],
  { close_within, floor }: ToolflowSettings,
): boolean {
  if (first === undefined) return false
  if (first.score_hint < floor) return true
  return second !== undefined && second.score_hint >= first.score_hint * (1 - close_within)
}
