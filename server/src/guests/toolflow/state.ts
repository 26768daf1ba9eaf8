import type { HiddenPlace } from '../../kernel/contract/approval.ts'
import type { CallState } from '../../kernel/contract/call.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { CallId, RunId } from '../../kernel/contract/ids.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { GateEvidence, ToolflowBody, ToolflowCandidate, ToolflowNode, ToolflowSettings } from './toolflow.ts'

/** What is known about the chosen tool and its arguments. */
export type CardFact = {
  readonly title: string
  readonly purpose: string
  readonly risk: string
  readonly dry_run_supported: boolean
  /** What a person has to provide or confirm before there is a call. */
  readonly required_inputs: readonly string[]
  readonly why_inputs: string
  /** The arguments so far, for the person who is asked; without secrets. */
  readonly proposed_args: string
  /** Where secrets were removed from them. Absent if nothing was. */
  readonly hidden?: readonly HiddenPlace[]
}

/** Whose arguments they are; `nobody`: they are empty. */
export type GivenArgs = { readonly of: 'caller' | 'model' | 'nobody'; readonly value: Json }

/** The gate's verdict before anything is done, and whether a dry run may come first. */
export type JudgedFact = { readonly evidence: GateEvidence; readonly dry_run: boolean }

/**
 * One flow. Stored, so only JSON. Of the call it keeps the id and what is known about its outcome; everything else is in the
 * call's own row. Arguments are kept until the flow ends, and then only in the call.
 */
export type ToolflowState = {
  readonly run_id: RunId
  /** Validated again when it is read. */
  readonly caller: JsonObject
  readonly thread: string
  readonly trace: string
  /** The hash of the whole request, to recognize it when it is repeated. */
  readonly asked_hash: string
  readonly user_prompt: string
  readonly query: string
  readonly top_k: number
  readonly risk_score: number | null
  readonly chosen: string | null
  readonly limits: ToolflowSettings
  readonly args: GivenArgs | null
  readonly node: ToolflowNode
  readonly path: readonly ToolflowNode[]
  /** Whether the node's own work was started. */
  readonly begun: boolean
  readonly candidates: readonly ToolflowCandidate[] | null
  readonly selected_skill_id: string | null
  readonly card: CardFact | null
  readonly judged: JudgedFact | null
  readonly dry_run_result: string | null
  readonly failure: { readonly code: string; readonly says: string } | null
  /** Somebody cancelled it while its call was in progress; absent if nobody did. */
  readonly cancel?: { readonly by: string; readonly withdrawing: boolean }
  readonly call: { readonly call_id: CallId | null; readonly status: CallState; readonly reason: string | null } | null
}

export type ToolflowStart = {
  readonly run_id: RunId
  readonly caller: Caller
  readonly trace: string
  readonly asked_hash: string
  readonly body: ToolflowBody
  readonly limits: ToolflowSettings
}

export function startToolflow({ run_id, caller, trace, asked_hash, body, limits }: ToolflowStart): ToolflowState {
  return {
    run_id,
    caller: JSON.parse(JSON.stringify(caller)) as JsonObject,
    thread: body.thread ?? run_id,
    trace,
    asked_hash,
    user_prompt: body.user_prompt,
    query: body.query ?? body.user_prompt,
    top_k: body.top_k,
    risk_score: body.risk_score ?? null,
    chosen: body.skill_id ?? null,
    limits,
    args: body.args === undefined ? null : { of: 'caller', value: body.args },
    node: 'TOOL_SEARCH',
    path: ['TOOL_SEARCH'],
    begun: false,
    candidates: null,
    selected_skill_id: null,
    card: null,
    judged: null,
    dry_run_result: null,
    failure: null,
    call: null,
  }
}
