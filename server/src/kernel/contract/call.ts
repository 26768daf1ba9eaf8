import { z } from 'zod'
import type { Answerable } from '../approvals/asks.ts'
import type { Caller } from './caller.ts'
import type { ApprovalId, CallId, RunId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { Problem } from './problems.ts'
import type { Verification, PlannedReadBack, Rollback, Verified } from './standard.ts'
import type { RiskClass, ToolEffect } from './tool.ts'
import type { Effect, Opinion, Verdict } from './verdict.ts'

/** The run that made a call. The run is notified when the call ends. */
export type ByRun = {
  readonly run_id: RunId
  /** The kind of run, such as `toolflow`. */
  readonly kind: string
  /** Where in the run the call was made, as named by its kind. */
  readonly step: string
  /** The run's earlier verdict: the call is never judged more leniently. */
  readonly at_least: Effect
  /** The model lane of the run; null for a run without one. */
  readonly lane: string | null
  /** The consent of a guest that a step of the run is executed under. */
  readonly consent?: string
  /** The version of a document that the run carries out, `name@version`: its calls are judged by it. */
  readonly document?: string
  /** The maximum time that a request for approval waits, in seconds. */
  readonly hold_s?: number
  /** For an answer to a person: the transport that their message arrived on. The answer is sent on that one or not at all. */
  readonly transport?: string
  /** The risk that the caller of a toolflow stated. */
  readonly risk_score?: number
}

/** What a door passes to the corridor: a request, before anything in it is trusted. */
export type CallRequest = {
  readonly caller: Caller
  readonly tool: string
  readonly args: Json
  /** The caller's own canonical form or hash: compared, never trusted. */
  readonly claimed?: { readonly canonical?: string; readonly hash?: string }
  readonly thread?: string
  readonly trace?: string
  /** The caller's own span in that trace (W3C). */
  readonly parent_span?: string
  /** The caller's own key: the same key and arguments answer with the first call's outcome. */
  readonly idempotency_key?: string
  /** From the second round on, for a call whose tool asked something: each round is a separate call under the same key. */
  readonly round?: number
  readonly dry_run?: 'first' | 'only'
  /** The caller follows it as a task, by its id. */
  readonly as_task?: boolean
  /** What the caller's client can be asked, if anything. */
  readonly answerable?: Answerable
  /** What the user said, if the request contains it. */
  readonly words?: string
  /** Output longer than this many characters moves to the artifact store, if the door has its own limit. */
  readonly evict_over?: number
  /** The stream that carries the answer, if the client can reconnect to it. */
  readonly answer_stream?: string
  /** Set by runs, never by a door. */
  readonly by_run?: ByRun
  /** The call is judged and recorded here, and run by the client. */
  readonly executor?: 'client'
}

/** One request to run one tool with exact arguments, after identification and canonicalization. */
export type Call = {
  readonly call_id: CallId
  readonly caller: Caller
  readonly tool_id: string
  readonly server: string
  readonly definition_hash: string
  readonly canonical_args: string
  readonly args_hash: string
  /** The hash of the arguments without invisible differences; absent if there are none. */
  readonly folded_hash?: string
  readonly thread: string
  readonly trace: string
  readonly received_at: number
  readonly answerable?: Answerable
  readonly evict_over?: number
  readonly answer_stream?: string
  /** Run by the client that asked, not by the gate: at-most-once is not guaranteed. */
  readonly executor?: 'client'
  /** At a hub: the node that runs it. */
  readonly node?: string
  /** Absent when no run made it. */
  readonly by_run?: ByRun
  /** For a call that is followed as a task: the identity of its caller. */
  readonly task_of?: string
}

export const CallState = z.enum(['pending', 'executing', 'executed', 'refused', 'failed', 'unknown', 'not_reported'])
export type CallState = z.infer<typeof CallState>

/** An MCP tool result as the caller will see it: redacted, evicted if huge. */
export type ToolResult = {
  readonly content: readonly JsonObject[]
  readonly structuredContent?: Json
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

/** What happened to an output on its way to the caller. */
export type Eviction = {
  readonly evicted: boolean
  readonly size_chars: number
  readonly rehydration_allowed: boolean
  readonly pointer?: string
  readonly summary?: string
}

/** The facts the policy used besides the call itself, so that a draft can judge the call again with the facts of its time. */
export type RecordedFacts = {
  readonly now: number
  readonly effects: readonly ToolEffect[]
  readonly risk: RiskClass
  // Absent if it was unknown at that time.
  readonly tags?: readonly string[]
  readonly lane?: string | null
  readonly labels?: readonly string[]
  readonly sandboxed?: boolean
  readonly approvers?: number
}

/** The only place for execution state. Approvals contain decisions, runs contain progress; both refer to this row. */
export type CallRow = Call & {
  readonly v: 1
  /** For a volatile run's call: where the rest is. */
  readonly in_memory?: string
  readonly state: CallState
  readonly verdict: Verdict
  readonly policy_version: string
  /** Absent in rows of releases that did not store it. */
  readonly judged?: RecordedFacts
  readonly idempotent: boolean
  readonly attempt: number
  /** While pending or waiting for a retry: the request it waits for, and until when. */
  readonly approval_id?: ApprovalId
  readonly held_until?: number
  readonly run_id?: RunId
  readonly idempotency_key?: string
  /** Caller, tool and arguments as one key: rows with the same one are the same call made again. */
  readonly identity?: string
  /** The process that marked it `executing`: at recovery, rows of a process that no longer exists are interrupted. */
  readonly boot?: string
  readonly started_at?: number
  readonly ended_at?: number
  /** The day it ended, counted from 1970, as long as its arguments and outputs are kept. */
  readonly ended_day?: string
  /** When its arguments and outputs were deleted: by the retention policy, or because a person was erased. */
  readonly expired_at?: number
  readonly result?: ToolResult
  readonly output?: Eviction
  readonly problem?: Problem
  /** For `unknown`: who settled it and how. */
  readonly settled?: { readonly by: string; readonly as: 'retry' | 'done' | 'failed'; readonly at: number }
  /** For `unknown`: who ordered a retry. It waits for the request `approval_id`, until `held_until`. */
  readonly retry?: { readonly by: string; readonly at: number }
  /** For a task: who cancelled it while it ran, or afterwards while its outcome was unknown. */
  readonly called_off?: { readonly by: string; readonly at: number }
  /** What would undo it, recorded before it ran. */
  readonly rollback?: Rollback
  /** What was checked before it ran, and what was read back afterwards. */
  readonly evidence?: { readonly check?: Verification; readonly verify?: Verification }
  /** Set until the read-back is recorded: that it is due, and what it asks. */
  readonly due?: 'verify'
  readonly read_back?: PlannedReadBack
}

/** What a caller learns. Every door prints this same value. */
export type Outcome =
  | {
      readonly status: 'executed'
      readonly call_id: CallId
      readonly result: ToolResult
      readonly output: Eviction
      /** Absent for a tool without a read-back. */
      readonly verified?: Verified
      /** What was read back and its result, in a sentence. */
      readonly read_back?: string
      readonly rollback?: string
      /** Tells the model that it repeats the same read. */
      readonly hint?: string
      /** When its result was deleted. */
      readonly expired_at?: number
    }
  | {
      readonly status: 'pending'
      readonly call_id: CallId
      readonly approval_id: ApprovalId
      readonly url: string
      /** On a node: the hub that decides. */
      readonly hub?: string
      readonly expires_at: number
      readonly evidence: readonly Opinion[]
    }
  | {
      readonly status: 'refused'
      readonly call_id?: CallId
      readonly problem: Problem
      readonly evidence: readonly Opinion[]
      readonly expired_at?: number
    }
  | {
      readonly status: 'failed'
      readonly call_id: CallId
      readonly problem: Problem
      readonly result?: ToolResult
      readonly output?: Eviction
      /** Tells the model that it repeats the same read, or that an earlier attempt may have taken effect. */
      readonly hint?: string
      readonly expired_at?: number
    }
  | { readonly status: 'executing'; readonly call_id: CallId }
  /** A client was allowed to run it and never reported the outcome. */
  | { readonly status: 'not_reported'; readonly call_id: CallId }
  | {
      readonly status: 'unknown'
      readonly call_id: CallId
      readonly problem: Problem
      /** Somebody ordered a retry: it runs once this request is approved. */
      readonly retry?: {
        readonly approval_id: ApprovalId
        readonly url: string
        readonly hub?: string
        readonly expires_at: number
      }
    }
  | { readonly status: 'previewed'; readonly tool: string; readonly verdict: Verdict; readonly preview: ToolResult }
