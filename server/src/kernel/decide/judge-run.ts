import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/**
 * A run already judged its call once, when it chose its path.
 * INVARIANT: the call is never judged more leniently now, and since this is not an ask of the policy, no consent covers it. The decider and
 * its rule are named after the kind of run.
 */
export function judgeRun(_policy: Policy, { by_run }: Call, { now }: Facts): Opinion[] {
  if (by_run === undefined || by_run.at_least === 'allow') return []
  const { kind, at_least } = by_run
  const says = `the ${kind} already decided to ${at_least === 'ask' ? 'ask a person' : 'block'}`
  return [{ decider: kind, effect: at_least, rule: `${kind}.decided`, says, source: kind, at: now }]
}
