import type { Config } from '../contract/config.ts'
import type { RiskClass } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'

/**
 * How long a request waits for a decision, in milliseconds: as set by its route, otherwise the shorter of the times set for its
 * class and its strength.
 */
export function requestTimeout(
  { expires_s, expires_s_for }: Pick<Config['approvals'], 'expires_s' | 'expires_s_for'>,
  { strength = 'simple', route }: Pick<Verdict, 'strength' | 'route'>,
  risk: RiskClass,
): number {
  if (route?.expires_ms !== undefined) return route.expires_ms
  const set = [expires_s_for[risk], expires_s_for[strength]].filter((seconds) => seconds !== undefined)
  return 1000 * (set.length === 0 ? expires_s : Math.min(...set))
}
