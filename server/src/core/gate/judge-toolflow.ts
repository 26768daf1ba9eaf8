import type { Call } from '../../contract/call.ts'
import type { Opinion } from '../../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'

/**
 * A call of the toolflow was judged once before, when the flow chose its way. INVARIANT: it is never judged more mildly now,
 * and since this is no ask of the policy, no consent covers it.
 */
export function judgeToolflow(_policy: Policy, { toolflow }: Call, { now }: Facts): Opinion[] {
  if (toolflow === undefined || toolflow.at_least === 'allow') return []
  const says =
    toolflow.at_least === 'ask' ? 'the toolflow had decided to ask a person' : 'the toolflow had decided to block'
  return [
    { decider: 'toolflow', effect: toolflow.at_least, rule: 'toolflow.decided', says, source: 'toolflow', at: now },
  ]
}
