import type { Call } from '../contract/call.ts'
import type { ConsentId } from '../contract/ids.ts'
import type { Tool } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { coverWithConsent } from '../consents/cover-with-consent.ts'
import { asCalled } from '../decide/as-called.ts'
import { decideBy } from '../decide/decide.ts'
import type { Facts } from '../decide/facts.ts'
import { planFor } from '../decide/plan.ts'
import type { Policy } from '../policy/policy.ts'
import { consentFacts, type ConsentFactPorts } from '../consents/facts/consent-facts.ts'
import type { SeenVersions } from './facts/changeable-facts.ts'
import type { ToolServers } from '../ports/upstream.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import { gatherSeen, type Gathered, type Moment } from './gather-facts.ts'
import { settingsOf, type FactsPorts } from '../decide/judging.ts'

export type JudgeDeps = FactsPorts &
  ConsentFactPorts & { readonly policy: () => Policy; readonly servers: Pick<ToolServers, 'generation'> }

/** `version` is that of the policy that decided: a reload between the judgement and the record must not change it. */
export type JudgedCall = {
  readonly facts: Facts
  readonly verdict: Verdict
  readonly policy_version: string
  readonly seen: SeenVersions
  /** The generation of the tool server when the call was judged. */
  readonly generation: number
}

/** Absent if only a person may decide; otherwise consents are read, including the one an earlier try of this call spent. */
export type Ahead = { readonly spent?: ConsentId }

/** Gathers the facts, and decides. Consents matter only for an ask, so they are read only after all deciders have been asked. */
export function judgeCall(
  deps: JudgeDeps,
  call: Call,
  tool: Tool,
  moment: Moment,
  ahead: Ahead | undefined,
): MaybePromise<JudgedCall> {
  const generation = deps.servers.generation(call.server)
  const gathered = gatherSeen(deps, call, asCalled(deps.judgement, tool, call), moment)
  return gathered instanceof Promise
    ? gathered.then((known) => decideOn(deps, call, tool, known, generation, ahead))
    : decideOn(deps, call, tool, gathered, generation, ahead)
}

function decideOn(
  deps: JudgeDeps,
  call: Call,
  tool: Tool,
  { facts, seen }: Gathered,
  generation: number,
  ahead: Ahead | undefined,
): MaybePromise<JudgedCall> {
  const policy = deps.policy()
  const verdict = decideBy(planFor(policy, call, facts, deps.judgement.deciders), call, facts)
  const judged: JudgedCall = { facts, verdict, policy_version: policy.version, seen, generation }
  return ahead === undefined || verdict.effect !== 'ask' ? judged : withConsents(deps, call, tool, judged, ahead)
}

async function withConsents(
  deps: JudgeDeps,
  call: Call,
  tool: Tool,
  judged: JudgedCall,
  ahead: Ahead,
): Promise<JudgedCall> {
  const cost = settingsOf(deps.judgement, tool)?.cost ?? 1
  const consents = await consentFacts(deps, call, { ...judged.facts, cost, ...ahead })
  if (consents === undefined) return judged
  const facts = { ...judged.facts, ...consents }
  return { ...judged, facts, verdict: coverWithConsent(judged.verdict, call, facts, deps.judgement.deciders) }
}

/**
 * Whether a judgement may still be acted on, as far as this process knows. Checked immediately before the commit, which expects the rest to
 * be unchanged. Another policy or an expired credential is a reason to judge again.
 */
export function isJudgementCurrent(
  { policy, clock }: Pick<JudgeDeps, 'policy' | 'clock'>,
  { policy_version, seen }: Pick<JudgedCall, 'policy_version' | 'seen'>,
): boolean {
  return policy().version === policy_version && clock() < seen.valid_until
}

/** The same for a call: a tool server that was replaced since is another reason to judge again. */
export function isCallCurrent(deps: JudgeDeps, judged: JudgedCall, server: string): boolean {
  return isJudgementCurrent(deps, judged) && deps.servers.generation(server) === judged.generation
}
