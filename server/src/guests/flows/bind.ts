import type { Caller } from '../../kernel/contract/caller.ts'
import type { DecideProposalBody, EvaluateBody, ProposalView } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { actionIn } from './flow-requests.ts'
import type { PasskeyDeps } from '../../kernel/identity/passkeys.ts'
import type { ShownProof } from '../../kernel/identity/prove-person.ts'
import { abandonFlowRun } from './abandon-flow-run.ts'
import { addFlowEvidence } from './add-flow-evidence.ts'
import { advanceFlowRun } from './advance-flow-run.ts'
import type { EvidenceDeps } from './check-evidence.ts'
import { executeFlowStep, type ExecuteAnswer, type ExecuteFlowDeps, type ExecuteMore } from './execute-flow-step.ts'
import { flowSwitches, type FlowSwitches } from './flow-switches.ts'
import { importFlow, listFlows, readFlow, type FlowAnswer, type FlowsAnswer, type FlowsAsked } from './import-flow.ts'
import { mintFlowConsent, type ConsentAnswer } from './mint-flow-consent.ts'
import {
  getFlowRun,
  listFlowRuns,
  readChecklist,
  type FlowChecklist,
  type FlowRunAnswer,
  type FlowRunsAnswer,
} from './read-flow-runs.ts'
import {
  decideProposal,
  evaluateProposal,
  listProposals,
  readProposal,
  type ProposalsAsked,
  type ProposalsPage,
} from './review-proposals.ts'
import { revokeFlowConsent } from './revoke-flow-consent.ts'
import { startFlowRun, type RunAnswer } from './start-flow-run.ts'
import { submitFlowReview, type ReviewAnswer } from './submit-flow-review.ts'

export type FlowsDeps = EvidenceDeps & ExecuteFlowDeps & PasskeyDeps

type Act<Answer> = (caller: Caller, body: Json | undefined) => Promise<Result<Answer>>

/** Procedures that people and agents work through together. */
export interface FlowsGate {
  /** What is switched on now: an operator can change it at any time. */
  switches(): Promise<FlowSwitches>
  readonly start: Act<RunAnswer>
  readonly get: Act<FlowRunAnswer>
  readonly list: Act<FlowRunsAnswer>
  readonly checklist: Act<FlowChecklist>
  readonly advance: Act<RunAnswer>
  readonly evidence: Act<RunAnswer>
  mint(caller: Caller, body: Json | undefined, proof?: ShownProof): Promise<Result<ConsentAnswer>>
  readonly revoke: Act<ConsentAnswer>
  execute(caller: Caller, body: Json | undefined, more?: ExecuteMore): Promise<Result<ExecuteAnswer>>
  readonly submitReview: Act<ReviewAnswer>
  readonly abandon: Act<RunAnswer>
  /** The action that a body names in `action`, as the MCP tool takes it. */
  act(caller: Caller, body: Json, more?: ExecuteMore, proof?: ShownProof): Promise<Result<object>>
  import(caller: Caller, body: Json | undefined, vault_id?: string): Promise<Result<FlowAnswer>>
  flows(caller: Caller, asked: FlowsAsked): Promise<Result<FlowsAnswer>>
  flow(
    caller: Caller,
    asked: { readonly flow_id: string; readonly version?: string; readonly vault_id?: string },
  ): Promise<Result<FlowAnswer>>
  readonly proposals: {
    list(caller: Caller, asked: ProposalsAsked): Promise<Result<ProposalsPage>>
    read(caller: Caller, proposal_id: string, vault_id?: string): Promise<Result<ProposalView>>
    evaluate(caller: Caller, proposal_id: string, body: EvaluateBody, vault_id?: string): Promise<Result<ProposalView>>
    decide(
      caller: Caller,
      proposal_id: string,
      body: DecideProposalBody,
      vault_id?: string,
    ): Promise<Result<ProposalView>>
  }
}

export function bindFlows(deps: FlowsDeps): FlowsGate {
  const gate: FlowsGate = {
    switches: () => flowSwitches(deps),
    start: (caller, body) => startFlowRun(deps, caller, body),
    get: (caller, body) => getFlowRun(deps, caller, body),
    list: (caller, body) => listFlowRuns(deps, caller, body),
    checklist: (caller, body) => readChecklist(deps, caller, body),
    advance: (caller, body) => advanceFlowRun(deps, caller, body),
    evidence: (caller, body) => addFlowEvidence(deps, caller, body),
    mint: (caller, body, proof = {}) => mintFlowConsent(deps, caller, body, proof),
    revoke: (caller, body) => revokeFlowConsent(deps, caller, body),
    execute: (caller, body, more) => executeFlowStep(deps, caller, body, more),
    submitReview: (caller, body) => submitFlowReview(deps, caller, body),
    abandon: (caller, body) => abandonFlowRun(deps, caller, body),
    async act(caller, body, more, proof) {
      const asked = actionIn(body)
      const verb = asked === undefined ? undefined : VERBS.get(asked.action)
      if (asked === undefined || verb === undefined) return bad('Unknown flow_run action')
      if (verb === 'execute') return gate.execute(caller, asked.rest, more)
      return verb === 'mint' ? gate.mint(caller, asked.rest, proof) : gate[verb](caller, asked.rest)
    },
    import: (caller, body, vault_id) => importFlow(deps, caller, body, vault_id),
    flows: (caller, asked) => listFlows(deps, caller, asked),
    flow: (caller, asked) => readFlow(deps, caller, asked),
    proposals: {
      list: (caller, asked) => listProposals(deps, caller, asked),
      read: (caller, id, vault) => readProposal(deps, caller, id, vault),
      evaluate: (caller, id, body, vault) => evaluateProposal(deps, caller, id, body, vault),
      decide: (caller, id, body, vault) => decideProposal(deps, caller, id, body, vault),
    },
  }
  return gate
}

type Verb =
  'start' | 'get' | 'list' | 'advance' | 'evidence' | 'mint' | 'revoke' | 'execute' | 'submitReview' | 'abandon'

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['start', 'start'],
  ['get', 'get'],
  ['list', 'list'],
  ['advance', 'advance'],
  ['evidence', 'evidence'],
  ['consent_mint', 'mint'],
  ['consent_revoke', 'revoke'],
  ['execute_automatable', 'execute'],
  ['submit_review', 'submitReview'],
  ['abandon', 'abandon'],
])
