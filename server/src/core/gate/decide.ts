import type { Call } from '../../contract/call.ts'
import {
  OWN_GROUND,
  STRENGTHS,
  type Effect,
  type Opinion,
  type Strength,
  type Verdict,
} from '../../contract/verdict.ts'
import { visibleText } from '../../contract/visible-text.ts'
import { strongestOf as strongestOfRoute } from '../approvals/routes/routes.ts'
import { countApprovals, peopleNeeded } from '../approvals/routes/seats.ts'
import { coverWithConsent } from '../consent/cover-with-consent.ts'
import { DECIDERS, type Decider } from './deciders.ts'
import type { ApprovalFact, Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'

const STRICTEST_FIRST = ['block', 'ask', 'allow'] as const

/**
 * Deciders that are enforced in observe mode too: a forged call, a sprung trap, a revoked key, and an admin's own pause. So are
 * blocks about the gate's own files and credentials: whoever has these decides everything later.
 */
const ALWAYS_ENFORCED = new Set(['integrity', 'credential', 'trap', 'pause'])

/**
 * Decide one tool call. Pure and total: no clock, no I/O, never throws.
 * INVARIANT: the strictest opinion wins, whatever the others say (law in decide.test.ts).
 * INVARIANT: no opinion at all is a block.
 */
export function decide(policy: Policy, call: Call, facts: Facts, deciders: readonly Decider[] = DECIDERS): Verdict {
  // Every decider speaks, also after a block: the person who reads the evidence wants all of it.
  const evidence = deciders.flatMap((decider) => opinionsOf(decider, policy, call, facts))
  const effect = strictestOf(evidence)
  if (effect === undefined) return { effect: 'block', evidence: [noOpinion(facts)] }
  if (policy.mode === 'observe') return observed(effect, evidence, facts)
  if (effect !== 'ask') return { effect, evidence }
  const asked = routed({ effect, strength: strongestOf(evidence), evidence }, facts)
  if (facts.approval !== undefined && isCovered(call, asked, facts.approval, facts)) {
    return { effect: 'allow', evidence: [...evidence, approvedBy(facts.approval, facts)] }
  }
  return coverWithConsent(asked, call, facts)
}

/** An ask, with who is asked. Only a call that is asked about has a route. */
function routed(verdict: Verdict, { route }: Facts): Verdict {
  if (route === undefined) return verdict
  return { ...verdict, strength: strongestOfRoute(verdict.strength, route), route: route.chosen }
}

function opinionsOf(decider: Decider, policy: Policy, call: Call, facts: Facts): readonly Opinion[] {
  try {
    return decider.judge(policy, call, facts).map(shownOpinion)
  } catch {
    // Skipping a decider that fails would let it fail open.
    const says = `the decider \`${decider.name}\` failed`
    return [{ decider: decider.name, effect: 'block', rule: 'decider.failed', says, source: 'gate', at: facts.now }]
  }
}

/** A sentence may name what others chose, such as a tool: whatever it is, the sentence stays one line that can be read. */
const shownOpinion = (opinion: Opinion): Opinion => ({
  ...opinion,
  rule: visibleText(opinion.rule),
  says: visibleText(opinion.says),
  source: visibleText(opinion.source),
})

function strictestOf(evidence: readonly Opinion[]): Effect | undefined {
  return STRICTEST_FIRST.find((effect) => evidence.some((opinion) => opinion.effect === effect))
}

function strongestOf(evidence: readonly Opinion[]): Strength {
  const asked = evidence.filter((opinion) => opinion.effect === 'ask').map((opinion) => opinion.strength ?? 'simple')
  return STRENGTHS.findLast((strength) => asked.includes(strength)) ?? 'simple'
}

/** An approval covers the exact call it was given for, and no more people's word than were heard. */
function isCovered(call: Call, asked: Verdict, approval: ApprovalFact, { route }: Facts): boolean {
  return (
    approval.args_hash === call.args_hash &&
    approval.definition_hash === call.definition_hash &&
    STRENGTHS.indexOf(approval.strength) >= STRENGTHS.indexOf(asked.strength ?? 'simple') &&
    isHeardEnough(call, asked, approval, route)
  )
}

/** The people who approved are counted again by the route and the groups of today. */
function isHeardEnough(call: Call, asked: Verdict, approval: ApprovalFact, route: Facts['route']): boolean {
  const needed = peopleNeeded(asked)
  if (route === undefined || (route.members === undefined && needed === 1)) return true
  const members = approval.is_escalated === true ? (route.escalated ?? route.members) : route.members
  return countApprovals(approval.decisions ?? [], call.caller.user, members) >= needed
}

function observed(effect: Effect, evidence: readonly Opinion[], facts: Facts): Verdict {
  const enforced = strictestOf(evidence.filter(isEnforced))
  if (enforced === 'block') return { effect: 'block', evidence }
  if (enforced === 'ask') return routed({ effect: 'ask', strength: strongestOf(evidence), evidence }, facts)
  return { effect: 'allow', evidence, observed: effect }
}

const isEnforced = ({ decider, effect, rule }: Opinion) =>
  ALWAYS_ENFORCED.has(decider) || (effect === 'block' && OWN_GROUND.has(rule))

function approvedBy(approval: ApprovalFact, facts: Facts): Opinion {
  const says = `approved (${approval.strength}) in ${approval.approval_id}`
  return { decider: 'approval', effect: 'allow', rule: approval.approval_id, says, source: 'approval', at: facts.now }
}

function noOpinion(facts: Facts): Opinion {
  const says = 'no decider had an opinion, so the call is blocked'
  return { decider: 'gate', effect: 'block', rule: 'gate.no_opinion', says, source: 'gate', at: facts.now }
}
