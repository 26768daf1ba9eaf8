import type { CallState } from '../../contract/call.ts'
import type { ExecutionId, FlowConsentId, FlowStep } from '../../contract/flows.ts'
import type { CallId, RunId } from '../../contract/ids.ts'
import type { Json, JsonObject } from '../../contract/json.ts'

export type ProposedCall = { readonly tool: string; readonly args: Json }

/** One execution of one step by a model, as the driver carries it on. */
export type FlowExecution = {
  readonly execution_id: ExecutionId
  readonly flow_run_id: RunId
  readonly consent_id: FlowConsentId
  readonly step: FlowStep
  readonly lane: string
  readonly caller: JsonObject
  readonly trace: string
  /** The only tools that the model is offered. */
  readonly tools: readonly string[]
  /** Prompts of connected servers that the step refers to, with their texts once they were read. */
  readonly prompt_ids: readonly string[]
  readonly prompts: readonly { readonly id: string; readonly text: string }[]
  readonly phase:
    'starting' | 'reading_prompts' | 'asking' | 'calling' | 'waiting' | 'answering' | 'finishing' | 'ended'
  /** Counts effects, so that each has a key of its own. */
  readonly works: number
  readonly asked: number
  /** Answers in a row that were no call that could be made. */
  readonly wasted: number
  /** Calls that the gate let through and that succeeded, and prompts that were read through it. */
  readonly gated: number
  /** Calls that were made; the number of the one under way. */
  readonly calls: number
  readonly proposed: ProposedCall | null
  readonly call: { readonly call_id: CallId | null; readonly status: CallState } | null
  /** The call that was last heard to have ended: it may be heard of before its performer says that it was held. */
  readonly ended_call: string | null
  /** It was asked to stop: it does once the call under way has its outcome. */
  readonly stopping: boolean
  /** The call that it waits for was withdrawn. */
  readonly withdrawn: boolean
  readonly results: readonly { readonly tool: string; readonly text: string; readonly ok: boolean }[]
  readonly output: string | null
  readonly verified: boolean
  readonly ending: 'completed' | 'failed' | 'cost_capped'
  readonly reason: string | null
}

export type NewExecution = Pick<
  FlowExecution,
  'execution_id' | 'flow_run_id' | 'consent_id' | 'step' | 'lane' | 'caller' | 'trace' | 'tools' | 'prompt_ids'
>

export const newExecution = (told: NewExecution): FlowExecution => ({
  ...told,
  prompts: [],
  phase: 'starting',
  works: 0,
  asked: 0,
  wasted: 0,
  gated: 0,
  calls: 0,
  proposed: null,
  call: null,
  ended_call: null,
  stopping: false,
  withdrawn: false,
  results: [],
  output: null,
  verified: false,
  ending: 'completed',
  reason: null,
})
