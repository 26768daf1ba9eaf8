import { auditEntry, completed, failed, numberIn, replaced, type Draft, type WorkflowFound } from './draft.ts'
import type { Frame, Work, WorkflowState } from './state.ts'
import { stepAt, workNamed } from './steps/steps.ts'
import type { AnyStep } from './steps/step-type.ts'
import { protocolOf } from './workflow-document.ts'

/** Processes the result of a piece of work: the step is done, is retried, waits for its call, or the run has failed. */
export function applyResult(before: Draft, frame: Frame, work: Work, found: WorkflowFound): Draft {
  const number = numberIn(work.key)
  const draft = withUsage(checkedEntry(before, number, found), found)
  const step = stepAt(protocolOf(draft.state).steps, number)
  if (step === undefined) return draft
  // A result that arrives after a failure or a cancellation is recorded only in its own row.
  if (draft.state.failure !== null || draft.state.cancelled_by !== null)
    return isHeld(found) ? waiting(draft, work, found) : put(draft, work, idle)
  if (work.does === 'load') return put(draft, work, (one) => ({ ...idle(one), loaded: found.loaded ?? {} }))
  if (isHeld(found)) return waiting(draft, work, found)
  if (found.failure !== undefined) return afterFailure(draft, work, step, found.failure)
  if (found.invalid !== undefined) return afterInvalid(draft, work, step, found.invalid)
  const over = completed(draft, frame, step, number, found.output ?? null)
  return put(over.draft, work, () => over.frame)
}

const HELD: readonly string[] = ['pending', 'executing', 'unknown']
const isHeld = ({ call }: WorkflowFound): boolean => call !== undefined && HELD.includes(call.status)

const idle = ({ work: _, ...frame }: Frame): Frame => frame

function put(draft: Draft, { key }: Work, change: (frame: Frame) => Frame): Draft {
  return { ...draft, state: { ...draft.state, main: replaced(draft.state.main, key, change) } }
}

function waiting(draft: Draft, work: Work, { call }: WorkflowFound): Draft {
  const held: Work = {
    ...work,
    is: 'waiting',
    ...(call === undefined
      ? {}
      : { call_id: call.call_id, ...(call.approval_id === null ? {} : { approval_id: call.approval_id }) }),
  }
  return put(draft, work, (frame) => ({ ...frame, work: held }))
}

/** A call is retried only if it is known not to have run, or if running it twice does no harm. */
function afterFailure(draft: Draft, work: Work, step: AnyStep, failure: NonNullable<WorkflowFound['failure']>): Draft {
  const number = numberIn(work.key)
  const mayTry =
    failure.again && workNamed(work.does)?.isRetried === true && work.attempt <= retriesOf(draft.state, step)
  if (!mayTry) return put(failed(draft, failure.code, failure.says, number), work, idle)
  // Restarted from its templates: the next attempt is a separate call.
  return put(draft, work, (frame) => ({ ...idle(frame), tried: work.attempt }))
}

function afterInvalid(draft: Draft, work: Work, step: AnyStep, errors: string): Draft {
  const number = numberIn(work.key)
  if (work.attempt > retriesOf(draft.state, step)) {
    const says = `after ${work.attempt} attempt${work.attempt === 1 ? '' : 's'}: ${errors}`
    return put(failed(draft, 'retries_exhausted', says, number), work, idle)
  }
  return put(draft, work, (frame) => ({
    ...idle(frame),
    tried: work.attempt,
    errors: [...(frame.errors ?? []), errors.slice(0, 1_000)],
  }))
}

/** The step's own number counts, even if it is 0; otherwise the protocol's. */
function retriesOf(state: WorkflowState, step: AnyStep): number {
  return step.retries ?? protocolOf(state).retries ?? 0
}

function withUsage(draft: Draft, { usage }: WorkflowFound): Draft {
  if (usage === undefined) return draft
  const { usage: before } = draft.state
  const sum = {
    model_calls: before.model_calls + usage.model_calls,
    input_tokens: before.input_tokens + usage.input_tokens,
    output_tokens: before.output_tokens + usage.output_tokens,
    cost: before.cost + usage.cost,
  }
  return { ...draft, state: { ...draft.state, usage: sum } }
}

function checkedEntry(draft: Draft, step: string, { checked }: WorkflowFound): Draft {
  if (checked === undefined) return draft
  const entry = auditEntry(draft.state, 'workflow.validated', {
    outcome: checked.ok ? 'valid' : 'schema_validation',
    about: { step, schema: checked.schema },
  })
  return { ...draft, audit: [...draft.audit, entry] }
}
