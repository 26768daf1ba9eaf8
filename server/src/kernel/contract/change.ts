import type { ApprovalState } from './approval.ts'
import type { CallState } from './call.ts'
import type { PauseRow } from './pause.ts'
import type { RunStatus } from './run.ts'
import type { Strength } from './verdict.ts'

export const CHANGE_KINDS = ['call', 'approval', 'run', 'flow', 'tools', 'pause', 'policy'] as const
/**
 * What a stream can be asked for. `shown`: intermediate output of the caller's own runs, for current listeners; only on request.
 */
export const STREAM_KINDS = [...CHANGE_KINDS, 'shown'] as const
export type StreamKind = (typeof STREAM_KINDS)[number]
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** Something that changed: enough to know what to read again, never its contents. */
export type GateChange = {
  /** How far the stream has got, valid on every node. */
  readonly id: string
  readonly at: number
} & (
  | {
      readonly kind: 'call'
      readonly call_id: string
      readonly tool_id: string
      readonly state: CallState
      /** Of the row: a later change has a higher one. */
      readonly version: number
      readonly thread: string
      readonly asked_by: string
      /** Its user: another user's caller may have the same name. */
      readonly user: string
      readonly approval_id?: string
      /** Its caller follows it as a task. */
      readonly task?: true
    }
  | {
      readonly kind: 'approval'
      readonly approval_id: string
      readonly call_id: string
      readonly tool_id: string
      readonly state: ApprovalState
      readonly version: number
      readonly strength: Strength
      readonly expires_at: number
      /** With this change another group is asked too. */
      readonly escalated?: true
    }
  | {
      readonly kind: 'run'
      readonly run_id: string
      /** Which kind of run: a toolflow, an agent's thread. */
      readonly run_kind: string
      readonly status: RunStatus
      readonly version: number
      readonly thread?: string
      readonly parent?: string
      /** What a parked run waits for. */
      readonly waits_for?: string
    }
  | {
      readonly kind: 'flow'
      /** What changed: a procedure has a new version, a run was started or continued, or a proposal was made or decided. */
      readonly about: 'procedure' | 'run' | 'proposal'
      readonly flow_id: string
      readonly version: number
      readonly run_id?: string
      readonly proposal_id?: string
      /** Of the run or the proposal. */
      readonly state?: string
    }
  /** The catalogue now has what this server lists, or what an operator admitted. */
  | { readonly kind: 'tools'; readonly server: string }
  | {
      readonly kind: 'pause'
      readonly scope: PauseRow['scope']
      readonly effect: PauseRow['effect']
      readonly active: boolean
      readonly version: number
    }
  /** Another policy was activated, or one was rejected and there is a notice. */
  | { readonly kind: 'policy'; readonly event: 'loaded' | 'refused' }
  /** More happened than is remembered: read everything again. */
  | { readonly kind: 'reset' }
)
