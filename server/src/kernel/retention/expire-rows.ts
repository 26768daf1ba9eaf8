import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRow } from '../contract/call.ts'
import type { LabelRow } from '../sessions/label.ts'
import type { RunRow } from '../contract/run.ts'
import { callerOfRun, type CallersOfKinds } from '../runs/may-see-run.ts'

/** Replaces removed arguments; the hash is still that of the original. */
const NO_ARGUMENTS = '{}'

/**
 * What remains of a call: who, when, which tool, what was decided and how it ended.
 * INVARIANT: only the fields named here remain, here and below, so that a new field of a row is removed unless it is added here.
 */
export function expireCall(row: CallRow, now: number): CallRow {
  const { problem, output, result } = row
  return {
    v: row.v,
    call_id: row.call_id,
    caller: row.caller,
    tool_id: row.tool_id,
    server: row.server,
    definition_hash: row.definition_hash,
    args_hash: row.args_hash,
    thread: row.thread,
    trace: row.trace,
    received_at: row.received_at,
    state: row.state,
    verdict: row.verdict,
    policy_version: row.policy_version,
    idempotent: row.idempotent,
    attempt: row.attempt,
    canonical_args: NO_ARGUMENTS,
    expired_at: now,
    ...kept(row, ['by_run', 'task_of', 'judged', 'approval_id', 'held_until', 'run_id', 'idempotency_key']),
    ...kept(row, ['identity', 'boot', 'started_at', 'ended_at', 'settled', 'retry', 'called_off']),
    ...(problem === undefined ? {} : { problem: { code: problem.code, about: {} } }),
    ...(result === undefined ? {} : { result: { content: [] } }),
    ...(output === undefined
      ? {}
      : { output: { evicted: output.evicted, size_chars: output.size_chars, rehydration_allowed: false } }),
  }
}

/** What remains of a request: who asked, who decided, and when. Only the fields named here. */
export function expireApproval(row: ApprovalRow, now: number): ApprovalRow {
  return {
    v: row.v,
    approval_id: row.approval_id,
    call_id: row.call_id,
    run_id: row.run_id,
    tool_id: row.tool_id,
    definition_hash: row.definition_hash,
    canonical_args: NO_ARGUMENTS,
    args_hash: row.args_hash,
    caller: row.caller,
    thread: row.thread,
    policy_version: row.policy_version,
    strength: row.strength,
    evidence: row.evidence,
    created_at: row.created_at,
    expires_at: row.expires_at,
    state: row.state,
    decisions: row.decisions.map(({ by, user, for: seat, says, how, passphrase, passkey, at, keys, ended_at }) => ({
      by,
      user,
      ...(seat === undefined ? {} : { for: seat }),
      says,
      how,
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(passkey === undefined ? {} : { passkey }),
      at,
      ...(keys === undefined ? {} : { keys }),
      ...(ended_at === undefined ? {} : { ended_at }),
    })),
    texts_expired_at: now,
    ...kept(row, ['identity', 'replaces', 'replaced_by', 'retries', 'counted', 'route']),
  }
}

/** What remains of a run: its kind, its owner, when it began and how it ended. Its journal is deleted with its state. */
export function expireRun(row: RunRow, now: number, kinds: CallersOfKinds): RunRow {
  const caller = callerOfRun(kinds, row)
  return {
    v: row.v,
    run_id: row.run_id,
    kind: row.kind,
    status: row.status,
    state: caller === undefined ? {} : { caller },
    cursor: row.cursor,
    executing: [],
    timers: {},
    created_at: row.created_at,
    expired_at: now,
    ...kept(row, ['owner', 'thread', 'parent', 'document', 'ended_at']),
  }
}

/** What remains of a label: that something entered the session, but not what. */
export function expireLabel({ v, label_id, session, at, kind }: LabelRow): LabelRow {
  return { v, label_id, session, at, kind, source: {} }
}

function kept<Row, Field extends keyof Row>(row: Row, fields: readonly Field[]): Partial<Pick<Row, Field>> {
  const found: Partial<Pick<Row, Field>> = {}
  for (const field of fields) if (row[field] !== undefined) found[field] = row[field]
  return found
}
