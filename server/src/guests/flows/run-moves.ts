import type { FlowExecutionRecord, FlowRunRow } from './flow-rows.ts'
import {
  FLOW_LIMITS,
  type FlowHistoryItem,
  type FlowStep,
  type PointerKind,
  type SkipReason,
  type StepState,
  type StepStatus,
} from './flows.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { refuse } from './problems.ts'

type Run = Pick<FlowRunRow, 'step_states' | 'status' | 'flow_id'>

export const ordinalOf = (step_id: string): number => Number(step_id.slice(step_id.indexOf('#') + 1))

const isClosed = ({ status }: StepState): boolean => status === 'done' || status === 'skipped'

/** The ordinal of the first step that is neither done nor skipped; one more than the last if there is none. */
export function frontierOf({ step_states }: Pick<Run, 'step_states'>): number {
  const open = step_states.findIndex((step) => !isClosed(step))
  return (open === -1 ? step_states.length : open) + 1
}

export function stepStateOf(run: Run, step_id: string): Result<StepState> {
  const found = run.step_states.find((step) => step.step_id === step_id)
  if (found !== undefined) return ok(found)
  return step_id.startsWith(`${run.flow_id}#`) || !step_id.includes('#') ? bad('Unknown step') : bad('Step not in run')
}

export function inProgress(run: Run): Result<void> {
  return run.status === 'in_progress' ? ok(undefined) : refuse('FLOW_RUN_NOT_IN_PROGRESS', { status: run.status })
}

const outOfOrder = (because: string): Result<never> => refuse('FLOW_STEP_OUT_OF_ORDER', { because })

export type Advance = {
  readonly step_id: string
  readonly status: Exclude<StepStatus, 'pending'>
  readonly skip_reason: SkipReason | null
}

/**
 * Changes the status of one step.
 * INVARIANT: no step past the frontier changes, at most one step is in progress, and a done step stays done (laws in
 * run-moves.test.ts).
 */
export function advanceStep<T extends Run>(run: T, step: FlowStep | undefined, asked: Advance): Result<T> {
  const running = inProgress(run)
  if (!running.ok) return running
  const state = stepStateOf(run, asked.step_id)
  if (!state.ok) return state
  if (step === undefined) return bad('Unknown step')
  if (state.value.status === 'done') return outOfOrder('the step is done')
  if (ordinalOf(asked.step_id) > frontierOf(run)) return outOfOrder('an earlier step is not finished')
  const isOtherOpen = run.step_states.some(
    ({ step_id, status }) => status === 'in_progress' && step_id !== asked.step_id,
  )
  if (asked.status === 'in_progress' && isOtherOpen) return outOfOrder('another step is in progress')
  if (asked.status === 'done' && step.verification.evidence_required && !state.value.verified)
    return refuse('FLOW_VERIFICATION_UNSATISFIED', { step_id: asked.step_id, kind: step.verification.kind })
  return ok(
    closedWhenDone({
      ...run,
      step_states: replaced(run.step_states, {
        ...state.value,
        status: asked.status,
        skip_reason: asked.status === 'skipped' ? asked.skip_reason : null,
      }),
    }),
  )
}

/** The run is done when every step is done or skipped. */
function closedWhenDone<T extends Run>(run: T): T {
  return run.step_states.every(isClosed) ? { ...run, status: 'done' } : run
}

function replaced(states: readonly StepState[], next: StepState): readonly StepState[] {
  return states.map((state) => (state.step_id === next.step_id ? next : state))
}

export type Evidence = {
  readonly step_id: string
  readonly evidence_ref: string
  readonly pointer_kind: PointerKind
  readonly verified: boolean
}

/** Whether evidence may be attached to a step at all, before the evidence itself is checked. */
export function takesEvidence(run: Run, step_id: string): Result<StepState> {
  const running = inProgress(run)
  if (!running.ok) return running
  const state = stepStateOf(run, step_id)
  if (!state.ok) return state
  return ordinalOf(step_id) > frontierOf(run)
    ? outOfOrder('an earlier step is not finished, so this one cannot have evidence yet')
    : state
}

/** A done step keeps its verification, whatever is attached later. */
export function withEvidence<T extends Run>(run: T, { step_id, verified, ...evidence }: Evidence): T {
  const next = (state: StepState): StepState => ({
    ...state,
    ...evidence,
    verified: state.status === 'done' ? state.verified : verified,
  })
  return {
    ...run,
    step_states: run.step_states.map((state) => (state.step_id === step_id ? next(state) : state)),
  }
}

/** A person approved the proposal of this step. A step that was closed in the meantime is not changed. */
export function withReview<T extends Run>(run: T, step_id: string, proposal_id: string): T {
  const state = run.step_states.find((one) => one.step_id === step_id)
  if (state === undefined || isClosed(state) || run.status !== 'in_progress') return run
  return withEvidence(run, { step_id, evidence_ref: proposal_id, pointer_kind: 'proposal', verified: true })
}

/** The last checks before an agent executes a step. */
export function executable(run: Run, step: FlowStep | undefined, step_id: string): Result<FlowStep> {
  const state = stepStateOf(run, step_id)
  if (!state.ok) return state
  if (step === undefined) return bad('Unknown step')
  if (step.automatable !== 'automatable') return refuse('FLOW_STEP_NOT_AUTOMATABLE', { step_id })
  if (step.verification.kind === 'human_review')
    return refuse('FLOW_VERIFICATION_UNSATISFIED', { step_id, kind: 'human_review' })
  if (isClosed(state.value)) return outOfOrder(`the step is ${state.value.status}`)
  if (ordinalOf(step_id) !== frontierOf(run)) return outOfOrder('an earlier step is not finished')
  const external = step.skill_refs.find(({ kind }) => kind === 'external_tool')
  if (external !== undefined)
    return refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { step_id, because: 'the step refers to an external tool' })
  return ok(step)
}

/** The result of an ended execution: evidence and at most `in_progress`, never `done`. */
export function withExecution<T extends Run>(run: T, step_id: string, evidence_ref: string, verified: boolean): T {
  const state = run.step_states.find((one) => one.step_id === step_id)
  if (state === undefined || isClosed(state) || run.status !== 'in_progress') return run
  const moved = withEvidence(run, { step_id, evidence_ref, pointer_kind: 'artifact', verified })
  const isOtherOpen = run.step_states.some((one) => one.status === 'in_progress' && one.step_id !== step_id)
  if (isOtherOpen || state.status !== 'pending') return moved
  return {
    ...moved,
    step_states: moved.step_states.map((one) => (one.step_id === step_id ? { ...one, status: 'in_progress' } : one)),
  }
}

export function withRecord(run: FlowRunRow, record: FlowExecutionRecord): FlowRunRow {
  const isKnown = run.executions.some(({ execution_id }) => execution_id === record.execution_id)
  const executions = isKnown
    ? run.executions.map((one) => (one.execution_id === record.execution_id ? record : one))
    : [...run.executions, record]
  return { ...run, executions }
}

/** If there are too many lines, the oldest are dropped; the audit keeps everything. */
export function noted(run: FlowRunRow, item: FlowHistoryItem): FlowRunRow {
  return { ...run, history: [...run.history, item].slice(-FLOW_LIMITS.history) }
}
