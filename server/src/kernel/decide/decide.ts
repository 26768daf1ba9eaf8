import type { Call } from '../contract/call.ts'
import { STRENGTHS, type Effect, type Opinion, type Strength, type Verdict } from '../contract/verdict.ts'
import { visibleText } from '../contract/visible-text.ts'
import { strongestOf as strongestOfRoute } from '../approvals/routes/routes.ts'
import { countApprovals, isStandingApproval, peopleNeeded } from '../approvals/routes/seats.ts'
import { coverWithConsent } from '../consents/cover-with-consent.ts'
import { blocksForGate, type Decider } from './decider.ts'
import type { ApprovalFact, Facts } from './facts.ts'
import type { Plan } from './plan.ts'
import type { Policy } from '../policy/policy.ts'

/**
 * Decide one tool call. Pure and total: no clock, no I/O, never throws.
 * INVARIANT: the strictest opinion wins, whatever the others say (law in decide.test.ts).
 * INVARIANT: no opinion at all is a block.
 */
export function decide(policy: Policy, call: Call, facts: Facts, deciders: readonly Decider[]): Verdict {
  const evidence: Opinion[] = []
  for (const { name, judge } of deciders) {
    try {
      addShown(evidence, judge(policy, call, facts))
    } catch {
      evidence.push(failed(name, facts.now))
    }
  }
  return verdictOf(policy, call, facts, evidence, deciders)
}

/** The same verdict, computed with the plan for this call's subject. */
export function decideBy({ policy, deciders, judges }: Plan, call: Call, facts: Facts): Verdict {
  const evidence: Opinion[] = []
  for (const { name, judge } of judges) {
    try {
      addShown(evidence, judge(call, facts))
    } catch {
      evidence.push(failed(name, facts.now))
    }
  }
  return verdictOf(policy, call, facts, evidence, deciders)
}

/** Every decider was asked, even after a block, so that the evidence is complete. */
function verdictOf(
  policy: Policy,
  call: Call,
  facts: Facts,
  evidence: readonly Opinion[],
  deciders: readonly Decider[],
): Verdict {
  const effect = strictestOf(evidence)
  if (effect === undefined) return { effect: 'block', evidence: [noOpinion(facts)] }
  if (policy.mode === 'observe') return observed(effect, call, evidence, facts, deciders)
  if (effect !== 'ask') return { effect, evidence }
  const asked = askedOrApproved(call, evidence, facts)
  return asked.effect === 'ask' ? coverWithConsent(asked, call, facts, deciders) : asked
}

function askedOrApproved(call: Call, evidence: readonly Opinion[], facts: Facts): Verdict {
  const asked = routed({ effect: 'ask', strength: strongestOf(evidence), evidence }, facts)
  const { approval } = facts
  return approval !== undefined && isCovered(call, asked, approval, facts)
    ? { effect: 'allow', evidence: [...evidence, approvedBy(approval, facts)] }
    : asked
}

/** Adds to an ask who will be asked. Only a held call has a route. */
function routed(verdict: Verdict, { route }: Facts): Verdict {
  if (route === undefined) return verdict
  return { ...verdict, strength: strongestOfRoute(verdict.strength, route), route: route.chosen }
}

/** Skipping a decider that fails would let it fail open. */
function failed(decider: string, at: number): Opinion {
  const says = `the decider \`${decider}\` failed`
  return { decider, effect: 'block', rule: 'decider.failed', says, source: 'gate', at }
}

/** An opinion may quote names chosen by others, such as a tool's. The sentence must stay one readable line. */
function addShown(evidence: Opinion[], opinions: readonly Opinion[]): void {
  if (opinions.length === 0) return
  for (const opinion of opinions) {
    const rule = visibleText(opinion.rule)
    const says = visibleText(opinion.says)
    const source = visibleText(opinion.source)
    const isShown = rule === opinion.rule && says === opinion.says && source === opinion.source
    evidence.push(isShown ? opinion : { ...opinion, rule, says, source })
  }
}

function strictestOf(evidence: readonly Opinion[]): Effect | undefined {
  let strictest: Effect | undefined
  for (const { effect } of evidence) {
    if (effect === 'block') return effect
    if (strictest !== 'ask') strictest = effect
  }
  return strictest
}

function strongestOf(evidence: readonly Opinion[]): Strength {
  const asked = evidence.filter((opinion) => opinion.effect === 'ask').map((opinion) => opinion.strength ?? 'simple')
  return STRENGTHS.findLast((strength) => asked.includes(strength)) ?? 'simple'
}

/** An approval covers only the exact call it was given for, and counts only the people who approved. */
function isCovered(call: Call, asked: Verdict, approval: ApprovalFact, { route }: Facts): boolean {
  return (
    approval.args_hash === call.args_hash &&
    approval.definition_hash === call.definition_hash &&
    STRENGTHS.indexOf(approval.strength) >= STRENGTHS.indexOf(asked.strength ?? 'simple') &&
    hasEnoughApprovals(call, asked, approval, route)
  )
}

/** Counts the approvers again, using the current route, groups and keys. */
function hasEnoughApprovals(call: Call, asked: Verdict, approval: ApprovalFact, route: Facts['route']): boolean {
  const needed = peopleNeeded(asked)
  const { decisions, is_escalated } = approval
  const members = is_escalated === true ? (route?.escalated ?? route?.members) : route?.members
  // One person, whoever it is: also the requester with a token.
  if (members === undefined && needed === 1) return decisions.some(isStandingApproval)
  return countApprovals(decisions, call.caller.user, members) >= needed
}

function observed(
  effect: Effect,
  call: Call,
  evidence: readonly Opinion[],
  facts: Facts,
  deciders: readonly Decider[],
): Verdict {
  const enforced = strictestOf(evidence.filter((opinion) => isEnforced(opinion, deciders)))
  if (enforced === 'block') return { effect: 'block', evidence }
  if (enforced === 'ask') return askedOrApproved(call, evidence, facts)
  return { effect: 'allow', evidence, observed: effect }
}

/**
 * Some deciders are enforced in observe mode too. So are blocks about the gate's own files and credentials, because whoever has those
 * controls every later decision.
 */
const isEnforced = (opinion: Opinion, deciders: readonly Decider[]): boolean =>
  deciders.some(({ name, enforced_in_observe }) => enforced_in_observe === true && name === opinion.decider) ||
  blocksForGate(opinion, deciders)

function approvedBy(approval: ApprovalFact, facts: Facts): Opinion {
  const says = `approved (${approval.strength}) in ${approval.approval_id}`
  return { decider: 'approval', effect: 'allow', rule: approval.approval_id, says, source: 'approval', at: facts.now }
}

function noOpinion(facts: Facts): Opinion {
  const says = 'no decider had an opinion, so the call is blocked'
  return { decider: 'gate', effect: 'block', rule: 'gate.no_opinion', says, source: 'gate', at: facts.now }
}
