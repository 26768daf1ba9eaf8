import type { Caller } from '../../kernel/contract/caller.ts'
import type { FlowRunRow, ProposalRow } from './flow-rows.ts'
import { FLOW_SCHEMAS, type FlowRunView, type FlowStep } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { reviewRequest } from './flow-requests.ts'
import { RUBRIC } from './proposal-moves.ts'
import { frontierOf, ordinalOf, stepStateOf } from './run-moves.ts'
import { changeRun, gated, isoOf, stepsOf, swapFlow, type FlowPorts } from './flow-access.ts'
import { runView } from './flow-views.ts'
import { refuse } from './problems.ts'

export type ReviewAnswer = { readonly schema: string; readonly run: FlowRunView; readonly proposal_id: string }

/** Files a proposal about a run, in the run's own vault. Approving it verifies the human review that it is for. */
export async function submitFlowReview(
  deps: FlowPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<ReviewAnswer>> {
  const open = await gated(deps, 'writes')
  if (!open.ok) return open
  const asked = reviewRequest(body)
  if (!asked.ok) return asked
  const intent = await deps.judgement.scanner.redact(asked.value.intent, 'shown')
  const proposal_id = `prop_${deps.ids.hex(8)}` as const
  const changed = await changeRun(deps, caller, asked.value, async ({ row }) => {
    const step = reviewedStep(row, await stepsOf(deps, row), asked.value.step_id)
    if (!step.ok) return step
    const proposal = proposalOf(deps, caller, row, { intent, proposal_id, step: step.value })
    const step_id = step.value?.step_id
    return ok({
      row,
      did: {
        by: caller,
        type: 'flow.review_submitted',
        did: 'submit_review',
        ...(step_id === undefined ? {} : { step_id }),
        note: proposal_id,
        about: { proposal: proposal_id },
      },
      more: [swapFlow(proposal, proposal_id, 'absent')],
    })
  }).catch(() => refuse('RUNTIME_ERROR'))
  if (!changed.ok) {
    const isDown = changed.problem.code === 'audit.unavailable' || changed.problem.code === 'audit.in_doubt'
    return isDown ? refuse('RUNTIME_ERROR') : changed
  }
  return ok({ schema: FLOW_SCHEMAS.run, run: runView(changed.value), proposal_id })
}

/** The named step, otherwise the one at the frontier if it waits for a human review. */
function reviewedStep(
  run: FlowRunRow,
  steps: readonly FlowStep[],
  step_id: string | undefined,
): Result<FlowStep | undefined> {
  if (step_id !== undefined) {
    const state = stepStateOf(run, step_id)
    if (!state.ok) return state
    const step = steps.find((one) => one.step_id === step_id)
    if (step === undefined) return bad('Unknown step')
    if (ordinalOf(step_id) > frontierOf(run))
      return refuse('FLOW_STEP_OUT_OF_ORDER', { because: 'an earlier step is not finished' })
    return ok(step)
  }
  const frontier = steps.find(({ ordinal }) => ordinal === frontierOf(run))
  return ok(frontier?.verification.kind === 'human_review' ? frontier : undefined)
}

type Filed = {
  readonly intent: string
  readonly proposal_id: ProposalRow['proposal_id']
  readonly step: FlowStep | undefined
}

function proposalOf(
  deps: FlowPorts,
  caller: Caller,
  run: FlowRunRow,
  { intent, proposal_id, step }: Filed,
): ProposalRow {
  const { run_id, flow_id, flow_version, external_ref } = run
  const isRequired = deps.flowSettings.evaluation === 'required'
  return {
    v: 1,
    is: 'proposal',
    proposal_id,
    vault_id: run.vault_id,
    scope: run.scope,
    state: 'proposed',
    source: 'flow_run',
    queue: 'flow-review',
    intent,
    body: { run_id, flow_id, flow_version },
    frontmatter: { type: 'flow_run_outcome', run_id, flow_id, flow_version, external_ref },
    step_id: step?.step_id ?? null,
    flow_title: run.title,
    step_title: step?.owned_job ?? null,
    evaluation: isRequired ? 'pending' : 'none',
    evaluation_required: isRequired,
    rubric: RUBRIC,
    note: null,
    evaluated_by: null,
    waived: null,
    proposed_by: caller.id,
    proposer: caller.user,
    created: isoOf(deps.clock()),
    decided_by: null,
    decided: null,
    reason: null,
  }
}
