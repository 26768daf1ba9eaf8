import type { Call } from '../contract/call.ts'
import { PROGRAM_KINDS } from '../contract/caller.ts'

/** 0 to 100, or undefined. */
export function scoreOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= 100 ? value : undefined
}

/**
 * The risk of a call: the provider's score, or the caller's own if that is higher.
 * INVARIANT: a caller's score never lowers a known risk, and a program's never makes an unknown one known.
 */
export function riskOf(
  provided: number | 'unknown',
  { caller, by_run }: Pick<Call, 'caller' | 'by_run'>,
): number | 'unknown' {
  const claimed = scoreOf(by_run?.risk_score)
  if (claimed === undefined) return provided
  if (provided === 'unknown') return PROGRAM_KINDS.includes(caller.kind) ? 'unknown' : claimed
  return Math.max(provided, claimed)
}
