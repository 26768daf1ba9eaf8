import type { RunId } from '../../kernel/contract/ids.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { WorkflowError, WorkflowUsage } from './workflow.ts'

/** The kind of run. */
export const WORKFLOW = 'workflow'

/** What arrived. Everything in it but the ids comes from outside. */
export type WorkflowTrigger = {
  readonly type: 'matrix.protocol_message' | 'gateway.event' | 'manual'
  readonly sender: string | null
  readonly room: string | null
  /** The gateway of an event. */
  readonly source: string | null
  /** The text of the message. */
  readonly message: string
}

/** What a step is doing. */
export type Work = {
  /** The key of its effect: unique within the run. */
  readonly key: string
  /** `load`, or what its step type names. */
  readonly does: string
  /** `begun`: its effect is in progress. `waiting`: its call is held, or its outcome is not known yet. */
  readonly is: 'begun' | 'waiting'
  readonly attempt: number
  readonly call_id?: string
  readonly approval_id?: string
  readonly withdrawn?: true
}

/** One list of steps being executed: the protocol's own, or one iteration of a loop. */
export type Frame = {
  /** The index of the current step. */
  readonly at: number
  /** By index. */
  readonly outputs: JsonObject
  /** For steps with an id. */
  readonly ids: JsonObject
  /** The previous step's output; absent before the first one. */
  readonly last?: Json
  readonly work?: Work
  readonly loop?: Loop
  /** Values of the agent's store that the step requested. */
  readonly loaded?: JsonObject
  /** How many attempts of the step failed, and what was wrong with the answers. */
  readonly tried?: number
  readonly errors?: readonly string[]
  readonly done?: true
  /** The branches that were passed, by index: they have no output. */
  readonly passed?: readonly number[]
}

export type Loop = {
  readonly items: readonly Json[]
  readonly parallel: boolean
  readonly frames: readonly Frame[]
}

export type WorkflowFailure = { readonly code: WorkflowError; readonly says: string; readonly step: string | null }

/** One run of one protocol of one version of a document. Stored, so only JSON. */
export type WorkflowState = {
  readonly run_id: RunId
  readonly document: string
  readonly version: number
  /** Validated again when it is read. */
  readonly caller: JsonObject
  readonly thread: string
  readonly trace: string
  /** The version it started with, whatever is applied in the meantime. */
  readonly protocol: JsonObject
  /** Rooms by alias, as the document names them. */
  readonly targets: { readonly [alias: string]: string }
  /** Tools that only read: loops that use only these run in parallel. */
  readonly reads: readonly string[]
  /** The account of `maxConcurrentRequests` in which it holds a slot. */
  readonly place: string | null
  /** The maximum time that its approvals wait, in seconds. */
  readonly hold_s: number | null
  readonly trigger: WorkflowTrigger
  readonly input: Json
  readonly started_at: number
  /** The time of the last event: the value of `{{now}}`. */
  readonly now: number
  readonly main: Frame
  /** How calls ended whose steps do not know yet that they wait for them. */
  readonly ended_early?: { readonly [call_id: string]: string }
  /** Counts pieces of work, so that each has its own key. */
  readonly works: number
  readonly failure: WorkflowFailure | null
  readonly cancelled_by: string | null
  /** It is releasing its slot; then it ends. */
  readonly releasing: boolean
  readonly usage: WorkflowUsage
}

export const protocolIdOf = ({ protocol: { id } }: Pick<WorkflowState, 'protocol'>): string =>
  typeof id === 'string' ? id : ''

export type WorkflowStart = Omit<
  WorkflowState,
  'main' | 'ended_early' | 'works' | 'failure' | 'cancelled_by' | 'releasing' | 'usage' | 'now'
>

export const newFrame = (last?: Json): Frame => ({
  at: 0,
  outputs: {},
  ids: {},
  ...(last === undefined ? {} : { last }),
})

export function startWorkflow(start: WorkflowStart): WorkflowState {
  return {
    ...start,
    now: start.started_at,
    main: newFrame(),
    works: 0,
    failure: null,
    cancelled_by: null,
    releasing: false,
    usage: { model_calls: 0, input_tokens: 0, output_tokens: 0, cost: 0 },
  }
}

/** Every frame of a run, outer ones first. */
export function framesIn(frame: Frame): readonly Frame[] {
  return [frame, ...(frame.loop?.frames ?? []).flatMap(framesIn)]
}

export const worksIn = ({ main }: Pick<WorkflowState, 'main'>): readonly Work[] =>
  framesIn(main).flatMap(({ work }) => (work === undefined ? [] : [work]))
