import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { Step } from '../../kernel/contract/run.ts'
import type { WorkflowError, WorkflowUsage } from './workflow.ts'
import type { WithdrawCall } from '../../kernel/attempt/held-call.ts'
import { protocolIdOf, type Frame, type WorkflowState } from './state.ts'

export type WorkflowEffect = {
  readonly key: string
  /** `load`, `outcome`, `release`, or what a step type names. */
  readonly kind: `workflow_${string}`
  readonly with: JsonObject
}

/** The result of a piece of work. */
export type WorkflowFound = {
  /** The step's output. */
  readonly output?: Json
  /** Values of the agent's store, by key. */
  readonly loaded?: JsonObject
  readonly call?: { readonly call_id: string; readonly status: string; readonly approval_id: string | null }
  /** Why the step cannot continue. `again`: it is known that nothing was done, or that doing it twice does no harm. */
  readonly failure?: { readonly code: WorkflowError; readonly says: string; readonly again: boolean }
  /** A model's answer does not match its schema, or there was none. */
  readonly invalid?: string
  /** A schema that an output was checked against, and whether it matches. */
  readonly checked?: { readonly schema: string; readonly ok: boolean }
  readonly usage?: WorkflowUsage
}

/** How many characters all outputs of a run may have together. */
const MOST_HELD = 4_000_000

/** A step being computed. */
export type Draft = {
  readonly state: WorkflowState
  readonly effects: readonly (WorkflowEffect | WithdrawCall)[]
  readonly audit: NonNullable<Step['audit']>
}

/** Changes the frame whose work has this key. */
export function replaced(frame: Frame, key: string, change: (frame: Frame) => Frame): Frame {
  if (frame.work?.key === key) return change(frame)
  if (frame.loop === undefined) return frame
  return { ...frame, loop: { ...frame.loop, frames: frame.loop.frames.map((one) => replaced(one, key, change)) } }
}

/** The key of the next piece of work. Its last part names the step, so that a graph can be drawn from a journal. */
export const keyAt = ({ run_id, works }: WorkflowState, number: string): string => `${run_id}/${works + 1}/${number}`
/** The displayed number of the step that a key belongs to. */
export const numberIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** The first failure counts. */
export function failed(draft: Draft, code: WorkflowError, says: string, step: string): Draft {
  const failure = draft.state.failure ?? { code, says: says.slice(0, 2_000), step }
  const entry = auditEntry(draft.state, 'workflow.step_failed', { outcome: code, about: { step } })
  return { ...draft, state: { ...draft.state, failure }, audit: [...draft.audit, entry] }
}

export type AuditDetails = {
  readonly outcome?: string
  readonly about?: Record<string, string | number | boolean>
  readonly subject?: Record<string, string>
}

export function auditEntry(
  state: WorkflowState,
  type: AuditEvent,
  { outcome, about, subject = {} }: AuditDetails,
): Draft['audit'][number] {
  const { caller, trace, run_id, document, version } = state
  return {
    type,
    actor: typeof caller['id'] === 'string' ? caller['id'] : '',
    trace,
    subject: { run: run_id, document: `${document}@${version}`, protocol: protocolIdOf(state), ...subject },
    ...(outcome === undefined ? {} : { outcome }),
    ...(about === undefined ? {} : { about }),
  }
}

export type AdvancedDraft = { readonly draft: Draft; readonly frame: Frame }
/** `rests`: nothing more can be done now. */
export type Moved = AdvancedDraft & { readonly rests?: true }

/** The step is done, with its output if it has one. */
export function completed(
  draft: Draft,
  frame: Frame,
  step: { readonly type: string; readonly id?: string | undefined },
  number: string,
  output: Json | undefined,
): AdvancedDraft {
  const { work: _work, loaded: _loaded, loop: _loop, tried: _tried, errors: _errors, ...rest } = frame
  const entry = auditEntry(draft.state, 'workflow.stepped', {
    outcome: 'done',
    about: { step: number, type: step.type },
  })
  const audited = { ...draft, audit: [...draft.audit, entry] }
  if (output === undefined) return { draft: audited, frame: { ...rest, at: frame.at + 1 } }
  const next: Frame = {
    ...rest,
    at: frame.at + 1,
    outputs: { ...frame.outputs, [frame.at]: output },
    ids: step.id === undefined ? frame.ids : { ...frame.ids, [step.id]: output },
    last: output,
  }
  const isTooMuch = JSON.stringify(next.outputs).length > MOST_HELD
  return {
    draft: isTooMuch
      ? failed(audited, 'limit_exceeded', `the outputs of the run hold more than ${MOST_HELD} characters`, number)
      : audited,
    frame: next,
  }
}
