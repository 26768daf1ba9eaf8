import type { CallState } from '../../kernel/contract/call.ts'
import type { FlowStep } from './flows.ts'
import type { CallId, RunId } from '../../kernel/contract/ids.ts'
import type { ExecutionId, FlowConsentId } from './ids.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'

export type ProposedCall = { readonly tool: string; readonly args: Json }

/** The state of one execution of one step by a model. */
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
  /** Counts effects, so that each has its own key. */
  readonly works: number
  readonly asked: number
  /** How many answers in a row contained no valid call. */
  readonly wasted: number
  /** Calls that the gate allowed and that succeeded, and prompts that were read through it. */
  readonly gated: number
  /** How many calls were made; also the number of the one in progress. */
  readonly calls: number
  readonly proposed: ProposedCall | null
  readonly call: { readonly call_id: CallId | null; readonly status: CallState } | null
  /** The last call reported as ended: the report may arrive before the performer says that the call was held. */
  readonly ended_call: string | null
  /** It was asked to stop: it stops once the call in progress has its outcome. */
  readonly stopping: boolean
  /** The call it waits for was withdrawn. */
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

export const newExecution = (start: NewExecution): FlowExecution => ({
  ...start,
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
