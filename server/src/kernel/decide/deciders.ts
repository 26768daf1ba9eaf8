import { judgePolicy, planPolicy } from '../policy/judge-policy.ts'
import { namesOf } from '../policy/match.ts'
import type { Decider } from './decider.ts'
import { judgeBudget } from './judge-budget.ts'
import { judgeCredential } from './judge-credential.ts'
import { judgeDefinition, planDefinition } from './judge-definition.ts'
import { judgeNames } from './judge-names.ts'
import { judgePause } from './judge-pause.ts'
import { judgeRepetition } from './judge-repetition.ts'
import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/**
 * To run a call again that may have taken effect is a new decision.
 * INVARIANT: whatever allowed the first attempt, a policy, a consent or an approval, does not allow the second one: only an approval of the
 * retry does. Since this is not an ask of the policy, no consent covers it.
 */
function judgeRetry(_policy: Policy, _call: Call, { retry, now }: Facts): Opinion[] {
  if (retry === undefined) return []
  const { attempt, sent, is_called_off } = retry
  const when = sent === undefined ? '' : `, sent at ${sent},`
  const note = is_called_off ? '; its caller has cancelled it since' : ''
  const says = `this is a retry: attempt ${attempt}${when} may already have taken effect${note}`
  return [{ decider: 'retry', effect: 'ask', rule: 'retry.unknown_outcome', says, source: 'gate', at: now }]
}

const SAYS = {
  canonical_differs: 'the canonical form that the caller sent does not match the arguments',
  hash_differs: 'the hash that the caller sent does not match the arguments',
} as const

/** No opinion when intact: a matching hash is no reason to allow anything. */
function judgeIntegrity(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  if (facts.integrity === 'intact') return []
  const says = SAYS[facts.integrity]
  const source = `caller ${call.caller.id}`
  return [{ decider: 'integrity', effect: 'block', rule: `integrity.${facts.integrity}`, says, source, at: facts.now }]
}

/**
 * A run already judged its call once, when it chose its path.
 * INVARIANT: the call is never judged more leniently now, and since this is not an ask of the policy, no consent covers it. The decider and
 * its rule are named after the kind of run.
 */
function judgeRun(_policy: Policy, { by_run }: Call, { now }: Facts): Opinion[] {
  if (by_run === undefined || by_run.at_least === 'allow') return []
  const { kind, at_least } = by_run
  const says = `the ${kind} already decided to ${at_least === 'ask' ? 'ask a person' : 'block'}`
  return [{ decider: kind, effect: at_least, rule: `${kind}.decided`, says, source: kind, at: now }]
}

/**
 * The kernel's deciders. Those of guests stand between them by their ranks. In observe mode, a forged call, a revoked key, an admin's pause
 * and a retry that may repeat an effect are still enforced.
 */
export const KERNEL_DECIDERS: readonly Decider[] = [
  { name: 'integrity', rank: 10, enforced_in_observe: true, judge: judgeIntegrity },
  { name: 'credential', rank: 20, enforced_in_observe: true, judges_reads: true, judge: judgeCredential },
  { name: 'pause', rank: 30, enforced_in_observe: true, judges_reads: true, judge: judgePause },
  { name: 'definition', rank: 50, judge: judgeDefinition, plan: ({ tool }) => planDefinition(tool) },
  { name: 'names', rank: 60, judge: judgeNames },
  {
    name: 'policy',
    rank: 70,
    judges_reads: true,
    judge: judgePolicy,
    plan: (subject) => planPolicy(subject.policy, namesOf(subject, subject)),
  },
  { name: 'run', rank: 140, judge: judgeRun },
  { name: 'retry', rank: 150, enforced_in_observe: true, judge: judgeRetry },
  { name: 'budget', rank: 170, judge: judgeBudget },
  { name: 'repetition', rank: 180, judge: judgeRepetition },
]
