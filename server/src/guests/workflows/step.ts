import { type JsonObject, isJsonObject } from '../../kernel/contract/json.ts'
import type { DriverEvent, RunKind, Step } from '../../kernel/contract/run.ts'
import type { WithdrawCall } from '../../kernel/attempt/held-call.ts'
import { applyResult } from './apply-result.ts'
import {
  auditEntry,
  keyAt,
  numberIn,
  replaced,
  type Draft,
  type WorkflowEffect,
  type WorkflowFound,
  failed,
  type AdvancedDraft,
  type Moved,
} from './draft.ts'
import { graphOf } from './graph.ts'
import { OUTERMOST, lookupIn, type Around } from './scope.ts'
import { framesIn, WORKFLOW, worksIn, type Work, type WorkflowState, type Frame } from './state.ts'
import { ALL_WORK, stepAt, workNamed, storeKeysOf, typeOf } from './steps/steps.ts'
import { protocolOf } from './workflow-document.ts'
import type { Advancing, AnyStep, StepWork } from './steps/step-type.ts'
import { renderTemplate } from './templates.ts'

/** Continues a list of steps until every piece of work is in progress, waits or is done. */
function advanceFrame(before: Draft, from: Frame, steps: readonly AnyStep[], outer: Around): AdvancedDraft {
  let [draft, frame] = [before, from]
  // Fixed when the run began.
  const { reads } = before.state
  while (frame.work === undefined && frame.done === undefined && draft.state.failure === null) {
    const step = steps[frame.at]
    if (step === undefined) return { draft, frame: { ...frame, done: true } }
    const next = moved(step, {
      draft,
      frame,
      steps,
      outer,
      lookup: lookupIn(draft.state, frame, outer),
      number: `${outer.prefix}${frame.at}`,
      advance: advanceFrame,
      isFree: (one) => isFree(one, reads),
    })
    ;({ draft, frame } = next)
    if (next.rests === true) break
  }
  return { draft, frame }
}

function moved(step: AnyStep, at: Advancing): Moved {
  const { draft, frame, number } = at
  const type = typeOf(step)
  if (frame.loop !== undefined) return type.loop?.resume(step, at) ?? { draft, frame, rests: true }
  const keys = frame.loaded === undefined ? storeKeysOf(step) : []
  if (keys.length > 0) return begin(draft, frame, 'load', number, { keys, step: number })
  if (type.advance !== undefined) return type.advance(step, at)
  return type.work === undefined ? { draft, frame, rests: true } : act(step, type.work, at)
}

/** Steps whose order has no visible effect. */
function isFree(step: AnyStep, reads: readonly string[]): boolean {
  return typeOf(step).isFree?.(step, reads, (inner) => isFree(inner, reads)) ?? true
}

/** Fills the step's templates; a missing value stops the run before the step does anything. */
function act(step: AnyStep, work: StepWork, { draft, frame, outer, lookup, number }: Advancing): Moved {
  const rendered = renderTemplate(work.template(step), lookup)
  if (!rendered.ok) return { draft: failed(draft, 'template_unresolved', rendered.says, number), frame }
  const { value, secrets } = rendered
  const filled = isJsonObject(value) ? value : {}
  const details = work.details(step, { filled, secrets, state: draft.state, frame, outer })
  const schema = step.outputSchemaRef === undefined ? {} : { schema: step.outputSchemaRef }
  return begin(draft, frame, work.does, number, { ...details, step: number, ...schema })
}

function begin(draft: Draft, frame: Frame, does: string, number: string, details: JsonObject): Moved {
  const { state } = draft
  const key = keyAt(state, number)
  const effect: WorkflowEffect = { key, kind: `workflow_${does}`, with: details }
  return {
    draft: { ...draft, state: { ...state, works: state.works + 1 }, effects: [...draft.effects, effect] },
    frame: { ...frame, work: { key, does, is: 'begun', attempt: does === 'load' ? 1 : (frame.tried ?? 0) + 1 } },
  }
}

export type WorkflowEvent =
  | DriverEvent
  | { readonly type: 'workflow.started'; readonly at: number }
  | { readonly type: 'call.ended'; readonly call_id: string; readonly state: string }
  | ({ readonly type: 'effect.done'; readonly key: string; readonly at?: number } & JsonObject)

type Next = Step<WorkflowState, WorkflowEffect | WithdrawCall>

export const workflow: RunKind<WorkflowState, WorkflowEvent, WorkflowEffect | WithdrawCall> = {
  kind: WORKFLOW,
  // A call has an idempotency key, and a stored value has a key that is spent once; the rest has no external effect.
  effects: {
    workflow_load: 'repeatable',
    ...Object.fromEntries(ALL_WORK.map(({ does }) => [`workflow_${does}`, 'repeatable'] as const)),
    workflow_outcome: 'repeatable',
    workflow_release: 'repeatable',
    withdraw_call: 'repeatable',
  },
  graphOf: (state) => graphOf(protocolOf(state)),
  step,
}

/** Pure: the same state and event give the same step. */
function step(before: WorkflowState, event: WorkflowEvent): Next {
  const now = 'at' in event && typeof event['at'] === 'number' ? Math.max(before.now, event['at']) : before.now
  const draft: Draft = { state: { ...before, now }, effects: [], audit: [] }
  switch (event.type) {
    case 'workflow.started':
      return continueRun(draft)
    case 'effect.done':
    case 'effect.cancelled':
      return effectDone(draft, event)
    case 'call.ended':
      return continueRun(callEnded(draft, event.call_id, event.state))
    case 'run.cancel':
      return cancelled(draft, event.by)
    default:
      return continueRun(draft)
  }
}

function effectDone(draft: Draft, event: { readonly key: string } & JsonObject): Next {
  const { state } = draft
  if (state.releasing && event.key === releaseKey(state)) return ended(draft)
  const frame = framesIn(state.main).find(({ work }) => work?.key === event.key)
  if (frame?.work === undefined) return continueRun(draft)
  return continueRun(catchUp(applyResult(draft, frame, frame.work, event as WorkflowFound)))
}

/**
 * The event was written with the call's final row, in the same commit. It may arrive before the step knows that it waits for the
 * call, if a decision or the recovery of another process's call was faster. A call with an unknown outcome is left to a person.
 */
function callEnded(draft: Draft, call_id: string, ended: string): Draft {
  const { state } = draft
  const work = worksIn(state).find((one) => one.call_id === call_id && one.is === 'waiting')
  if (work === undefined) {
    const ended_early = { ...state.ended_early, [call_id]: ended }
    return worksIn(state).some(isCalling) ? { ...draft, state: { ...state, ended_early } } : draft
  }
  if (ended === 'unknown') {
    // Its approval is used: from here on the run waits for the call.
    const { approval_id: _, ...open } = work
    return {
      ...draft,
      state: { ...state, main: replaced(state.main, work.key, (frame) => ({ ...frame, work: open })) },
    }
  }
  const works = state.works + 1
  const number = numberIn(work.key)
  const key = keyAt(state, number)
  const main = replaced(state.main, work.key, (frame) => ({ ...frame, work: { ...work, key, is: 'begun' } }))
  const effect: WorkflowEffect = {
    key,
    kind: 'workflow_outcome',
    with: { call_id, step: number, ...schemaAt(state, number) },
  }
  return { ...draft, state: { ...state, works, main }, effects: [...draft.effects, effect] }
}

/** A running model is stopped. Calls are not: one that waits for a person is withdrawn, any other is waited for. */
function cancelled(draft: Draft, by: string): Next {
  const running = worksIn(draft.state).filter(({ does, is }) => is === 'begun' && workNamed(does)?.isStopped === true)
  const next = continueRun({ ...draft, state: { ...draft.state, cancelled_by: draft.state.cancelled_by ?? by } })
  return running.length === 0 ? next : { ...next, cancel: running.map(({ key }) => key) }
}

const isCalling = ({ does, is }: Work): boolean => is === 'begun' && workNamed(does)?.isCall === true

/** Continues steps that now wait for a call that has already ended. Outcomes that no step can wait for any more are removed. */
function catchUp(before: Draft): Draft {
  let draft = before
  for (const [call_id, ended] of Object.entries(before.state.ended_early ?? {}))
    if (worksIn(draft.state).some((one) => one.call_id === call_id && one.is === 'waiting'))
      draft = callEnded(draft, call_id, ended)
  const { ended_early: _, ...state } = draft.state
  return worksIn(state).some(isCalling) ? draft : { ...draft, state }
}

/** A tool's output is checked against its schema even if it arrives late. */
function schemaAt(state: WorkflowState, number: string): JsonObject {
  const step = stepAt(protocolOf(state).steps, number)
  return step?.outputSchemaRef === undefined ? {} : { schema: step.outputSchemaRef }
}

/** Continues as far as the state allows. A failed or cancelled run starts nothing more and waits for work in progress. */
function continueRun(draft: Draft): Next {
  const isOpen = draft.state.failure === null && draft.state.cancelled_by === null && !draft.state.releasing
  const advanced = isOpen ? advanceFrame(draft, draft.state.main, protocolOf(draft.state).steps, OUTERMOST) : undefined
  const next: Draft =
    advanced === undefined ? draft : { ...advanced.draft, state: { ...advanced.draft.state, main: advanced.frame } }
  const { state } = next
  if (state.releasing) return resting(next)
  if (state.failure === null && state.cancelled_by === null)
    return state.main.done === true ? close(next) : resting(next)
  return closing(next)
}

/** Withdraws calls that wait for a person; the run ends when nothing is in progress any more. */
function closing(draft: Draft): Next {
  const { state } = draft
  const open = worksIn(state)
  const withdraw = open.filter(
    ({ is, withdrawn, approval_id }) => is === 'waiting' && withdrawn === undefined && approval_id !== undefined,
  )
  const by = state.cancelled_by ?? 'gate'
  const effects = withdraw.map(({ call_id = '' }): WithdrawCall => ({
    key: `${state.run_id}/withdraw/${call_id}`,
    kind: 'withdraw_call',
    with: { call_id: call_id as `call_${string}`, by },
  }))
  let { main } = state
  for (const work of withdraw)
    main = replaced(main, work.key, (frame) => ({ ...frame, work: { ...work, withdrawn: true } }))
  const next: Draft = { ...draft, state: { ...state, main }, effects: [...draft.effects, ...effects] }
  const isBusy = worksIn(next.state).some(({ is, approval_id }) => is === 'begun' || approval_id !== undefined)
  return isBusy || effects.length > 0 ? resting(next) : close(next)
}

const releaseKey = ({ run_id }: WorkflowState) => `${run_id}/release`

function close(draft: Draft): Next {
  const { state } = draft
  if (state.place === null) return ended(draft)
  const effect: WorkflowEffect = {
    key: releaseKey(state),
    kind: 'workflow_release',
    with: { account: state.place },
  }
  return resting({ ...draft, state: { ...state, releasing: true }, effects: [...draft.effects, effect] })
}

function ended({ state, effects, audit }: Draft): Next {
  const status = state.failure !== null ? 'failed' : state.cancelled_by !== null ? 'cancelled' : 'done'
  const about = state.failure === null ? {} : { code: state.failure.code, step: state.failure.step ?? '' }
  return {
    state,
    effects,
    ends: status,
    result: state.failure === null ? { status } : { status, code: state.failure.code },
    audit: [...audit, auditEntry(state, 'workflow.ended', { outcome: status, about })],
  }
}

function resting({ state, effects, audit }: Draft): Next {
  return { state, effects, audit, waits_for: waitsFor(worksIn(state)) }
}

function waitsFor(works: readonly Work[]): string | null {
  const held = works.find(({ is, approval_id }) => is === 'waiting' && approval_id !== undefined)
  if (held?.approval_id !== undefined) return `approval ${held.approval_id}`
  const open = works.find(({ is, call_id }) => is === 'waiting' && call_id !== undefined)
  return open?.call_id === undefined ? null : `call ${open.call_id}`
}
