import type { ApprovalRow } from '../../src/kernel/contract/approval.ts'
import type { AuditEntry, AuditReport } from '../../src/kernel/contract/audit.ts'
import type { CallRow } from '../../src/kernel/contract/call.ts'
import type { ConsentRow } from '../../src/kernel/contract/consent.ts'
import type { RunRow } from '../../src/kernel/contract/run.ts'

/** One line of a tool server's own log, written before it answers. */
export type Receipt = {
  readonly at: number
  /** The process that received it. */
  readonly pid: number
  /** The call's id, which the gate sends along. */
  readonly call: string
  readonly tool: string
  readonly args: unknown
}

/** The state of a call that was reported to a client. */
export type AnsweredCall = {
  readonly is: 'call'
  readonly call_id: string
  readonly status: string
  /** The client's own key, where it sent one. */
  readonly key?: string
  /** The gate said that the call was not sent to its tool. */
  readonly not_sent?: boolean
}
/** What an approver sent. `acknowledged`: the gate said that the decision counts. */
export type SentDecision = {
  readonly is: 'decision'
  readonly approval_id: string
  readonly says: 'approve' | 'deny'
  readonly digest: string
  readonly acknowledged: boolean
}
/** A person settled a call whose outcome was unknown. */
export type SentSettlement = {
  readonly is: 'settlement'
  readonly call_id: string
  readonly as: 'retry' | 'done' | 'failed'
  readonly acknowledged: boolean
}
export type StartedRun = { readonly is: 'run'; readonly run_id: string }
export type ClientRecord = AnsweredCall | SentDecision | SentSettlement | StartedRun

/** Everything that is known afterwards: the ledger, the audit, the tool servers' logs, and the clients' requests and answers. */
export type History = {
  readonly calls: readonly CallRow[]
  readonly approvals: readonly ApprovalRow[]
  readonly consents: readonly ConsentRow[]
  readonly runs: readonly RunRow[]
  /** The entries of all streams, in the order of their times. */
  readonly audit: readonly AuditEntry[]
  readonly report: Pick<AuditReport, 'ok' | 'first'>
  readonly receipts: readonly Receipt[]
  readonly records: readonly ClientRecord[]
}

export const VIOLATIONS = [
  'executed_twice',
  'executed_unrecorded',
  'executed_other_arguments',
  'executed_although_denied_effect',
  'sent_after_takeover',
  'acknowledged_and_lost',
  'decision_not_made',
  'decided_twice',
  'outcome_without_effect',
  'ledger_differs_from_audit',
  'left_open',
  'disturbed_by_others',
  'used_out_of_bounds',
  'audit_broken',
] as const
export type ViolationKind = (typeof VIOLATIONS)[number]
export type Violation = { readonly kind: ViolationKind; readonly about: string; readonly says: string }

/** One call with everything that is known about it. */
export type CallStory = {
  readonly row: CallRow
  readonly approval: ApprovalRow | undefined
  /** All its requests that no edit replaced: the first one, and those for retries. */
  readonly requests: readonly ApprovalRow[]
  readonly entries: readonly AuditEntry[]
  readonly receipts: readonly Receipt[]
}
export type ReportViolation = (kind: ViolationKind, about: string, says: string) => void
