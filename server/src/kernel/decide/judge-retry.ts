import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/**
 * To run a call again that may have taken effect is a new decision.
 * INVARIANT: whatever allowed the first attempt, a policy, a consent or an approval, does not allow the second one: only an approval of the
 * retry does. Since this is not an ask of the policy, no consent covers it.
 */
export function judgeRetry(_policy: Policy, _call: Call, { retry, now }: Facts): Opinion[] {
  if (retry === undefined) return []
  const { attempt, sent, is_called_off } = retry
  const when = sent === undefined ? '' : `, sent at ${sent},`
  const note = is_called_off ? '; its caller has cancelled it since' : ''
  const says = `this is a retry: attempt ${attempt}${when} may already have taken effect${note}`
  return [{ decider: 'retry', effect: 'ask', rule: 'retry.unknown_outcome', says, source: 'gate', at: now }]
}
