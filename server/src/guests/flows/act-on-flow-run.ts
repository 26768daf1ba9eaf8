import type { Caller } from '../../kernel/contract/caller.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import type { ShownProof } from '../../kernel/identity/prove-person.ts'
import { abandonFlowRun } from './abandon-flow-run.ts'
import { addFlowEvidence } from './add-flow-evidence.ts'
import { advanceFlowRun } from './advance-flow-run.ts'
import { bad } from './bad-request.ts'
import type { EvidencePorts } from './check-evidence.ts'
import { executeFlowStep, type ExecuteFlowPorts, type ExecuteMore } from './execute-flow-step.ts'
import { actionIn } from './flow-requests.ts'
import { mintFlowConsent } from './mint-flow-consent.ts'
import { getFlowRun, listFlowRuns } from './read-flow-runs.ts'
import { revokeFlowConsent } from './revoke-flow-consent.ts'
import { startFlowRun } from './start-flow-run.ts'
import { submitFlowReview } from './submit-flow-review.ts'

export type FlowRunPorts = EvidencePorts & ExecuteFlowPorts & PasskeyPorts

type Act = (
  k: FlowRunPorts,
  caller: Caller,
  body: Json | undefined,
  more?: ExecuteMore,
  proof?: ShownProof,
) => Promise<Result<object>>

const ACTS: ReadonlyMap<string, Act> = new Map<string, Act>([
  ['start', startFlowRun],
  ['get', getFlowRun],
  ['list', listFlowRuns],
  ['advance', advanceFlowRun],
  ['evidence', addFlowEvidence],
  ['consent_mint', (k, caller, body, _, proof) => mintFlowConsent(k, caller, body, proof)],
  ['consent_revoke', revokeFlowConsent],
  ['execute_automatable', executeFlowStep],
  ['submit_review', submitFlowReview],
  ['abandon', abandonFlowRun],
])

/** The action that a body names in `action`, as the MCP tool takes it. */
export async function actOnFlowRun(
  k: FlowRunPorts,
  caller: Caller,
  body: Json,
  more?: ExecuteMore,
  proof?: ShownProof,
): Promise<Result<object>> {
  const asked = actionIn(body)
  const act = asked === undefined ? undefined : ACTS.get(asked.action)
  return asked === undefined || act === undefined
    ? bad('Unknown flow_run action')
    : act(k, caller, asked.rest, more, proof)
}
