import type { ApprovalRow } from '../contract/approval.ts'
import type { AuditDraft, Checkpoint } from '../contract/audit.ts'
import type { CredentialRow } from '../contract/caller.ts'
import type { CallRow } from '../contract/call.ts'
import type { ConsentRow } from '../contract/consent.ts'
import type { RunId } from '../contract/ids.ts'
import type { LabelRow } from '../sessions/label.ts'
import type { LoginRow } from '../identity/login.ts'
import type { PasskeyRow } from '../identity/passkey.ts'
import type { PassphraseRow } from '../contract/passphrase.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { RunEvent, RunRow } from '../contract/run.ts'
import type { SessionRow } from '../sessions/session.ts'
import type { ServerRow, ToolRow } from '../contract/tool.ts'

/** Every kind of row, by table. A row is one JSON value with a version beside it. A guest adds its tables here and to `ListedBy`. */
export interface Rows {
  calls: CallRow
  approvals: ApprovalRow
  consents: ConsentRow
  runs: RunRow
  tools: ToolRow
  servers: ServerRow
  pauses: PauseRow
  credentials: CredentialRow
  checkpoints: Checkpoint
  passphrases: PassphraseRow
  sessions: SessionRow
  labels: LabelRow
  logins: LoginRow
  passkeys: PasskeyRow
}

export type Table = keyof Rows & keyof ListedBy

/** The fields by which rows of a table can be listed, all of them strings. Engines keep an index for each. */
export interface ListedBy extends KernelTables {}
type KernelTables = typeof LISTED_BY

/** Those of the kernel's own tables. */
export const LISTED_BY = {
  calls: ['state', 'idempotency_key', 'identity', 'due', 'task_of', 'ended_day'],
  approvals: ['state', 'identity'],
  consents: ['shelf'],
  runs: ['status', 'kind', 'owner', 'thread', 'parent', 'waits_for', 'ended_day'],
  tools: ['server'],
  servers: [],
  pauses: [],
  credentials: ['key_hash'],
  checkpoints: [],
  passphrases: [],
  sessions: [],
  labels: ['session', 'ended_day'],
  logins: ['user'],
  passkeys: ['user'],
} as const

/** Further fields for searches: engines keep an index for each. `caller` and `user` are those of the row's caller. */
export const SEARCHED_BY = {
  calls: ['tool_id', 'caller', 'user', 'received_at'],
  approvals: ['user'],
} as const satisfies { readonly [T in Table]?: readonly string[] }

/** 1 for a row's first version; each swap adds one. */
export type Version = number

export type Swap = {
  [T in Table]: { kind: 'swap'; table: T; id: string; from: Version | 'absent'; to: Rows[T] }
}[Table]

export type Change =
  | Swap
  /** Nothing is written, but the row must still be at this version. */
  | { kind: 'expect'; table: Table; id: string; version: Version | 'absent' }
  /** A nonce, a delivery id: insert or lose. May be deleted after `until`. */
  | { kind: 'once'; key: string; until: number }
  /** Opens an account with units to spend; lost if it exists. May be deleted after `until`. */
  | { kind: 'open'; account: string; units: number; until?: number }
  /** Takes units, or returns some if negative; lost if fewer than `least` (0) would be left or there is no such account. */
  | { kind: 'spend'; account: string; units: number; least?: number }
  /** Appends to a run's journal. */
  | { kind: 'event'; run: RunId; event: RunEvent }
  /** Makes the run continue: now, or not before `at`. */
  | { kind: 'wake'; run: RunId; at?: number }
  /** Replaces the run's wake-ups by one at `next`, or by none; lost if the run has events after `cursor`. */
  | { kind: 'rest'; run: RunId; cursor: number; next?: number }
  /** Deletes a run's journal up to `through`. */
  | { kind: 'forget'; run: RunId; through: number }
  /** Appends to the audit. Stream, sequence and previous hash are assigned inside the commit. */
  | { kind: 'audit'; entry: AuditDraft }
  /**
   * Changes nothing. As the last change of a commit it says that the commit has to survive a killed process but not yet a power
   * failure: the next commit without it makes both durable. An engine may ignore it. `repeated`: if this commit is lost, its work
   * is simply done again, so it need not survive the crash of a database server either.
   */
  | { kind: 'sync_later'; repeated?: true }

/** Identifies a commit whose answer was lost, to ask about it later. Only the engine that issued it understands it. */
export type CommitId = string

export type InDoubt = { readonly in_doubt: CommitId }

/**
 * The result of a commit. `lost` is the index of the first change whose expectation no longer held: reload, decide again.
 * `unavailable`: nothing of it is stored, and nothing that depends on it may be done.
 */
export type CommitResult = 'committed' | 'unavailable' | { readonly lost: number }

/**
 * `in_doubt`: the connection to the engine was lost before it answered. It may be stored or not, and nothing that depends on
 * either may be done.
 */
export type Committed = CommitResult | InDoubt

export interface Ledger {
  /**
   * All or nothing, and durable on return unless it ends with `sync_later`. Never throws because of disk failures or concurrent
   * commits. An empty commit makes every earlier one durable.
   */
  commit(changes: readonly Change[]): Promise<Committed>
}

/** What an engine later says about commits that it left in doubt. */
export interface CommitResults {
  /** `in_doubt` while it is not known. Any other answer is final, even after a crash. */
  resultOf(id: CommitId): Promise<CommitResult | 'in_doubt'>
}
