import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRow } from '../contract/call.ts'
import { Bug, type Problem } from '../contract/problems.ts'
import type { RunEvent } from '../contract/run.ts'
import { notRetried } from './interpret.ts'
import { auditOf } from './call-changes.ts'
import type { Change } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import { addRunEvent } from '../runs/run-changes.ts'

/** The held call behind a request. */
export async function heldCallOf(tables: Tables, approval: ApprovalRow): Promise<Stored<'calls'>> {
  const held = await tables.row('calls', approval.call_id)
  if (held === undefined) throw new Bug('an approval refers to a call')
  return held
}

/** The changes for a request's new state: its row, the journal of the run that waits for it, and the wake-up. */
export function approvalMoved(held: Stored<'approvals'>, to: ApprovalRow, event: RunEvent | undefined): Change[] {
  const swap: Change = { kind: 'swap', table: 'approvals', id: to.approval_id, from: held.version, to }
  if (event === undefined) return [swap]
  return [swap, ...addRunEvent(to.run_id, event)]
}

/** Whether somebody is still asked whether a call may run, for the first time or again. */
export const isAskedAbout = ({ state, retry }: Pick<CallRow, 'state' | 'retry'>): boolean =>
  state === 'pending' || (state === 'unknown' && retry !== undefined)

/** Without the retry and its run, which ends: another retry gets a new one. */
function notRetriedRow({ retry: _, run_id: _1, ...row }: CallRow, why: Problem): CallRow {
  return { ...row, problem: notRetried(why) }
}

/**
 * Ends the held call unexecuted, together with its request. If that was for a retry, only the retry ends: the outcome of the attempt before
 * it is as unknown as it was.
 */
export function closeCall(
  approval: { held: Stored<'approvals'>; to: ApprovalRow },
  call: Stored<'calls'>,
  why: Problem,
  actor: string,
  now: number,
): Change[] {
  const isRetry = call.row.state === 'unknown'
  const row: CallRow = isRetry
    ? notRetriedRow(call.row, why)
    : { ...call.row, state: 'refused', ended_at: now, problem: why }
  const { state } = approval.to
  if (state === 'pending' || state === 'consumed') throw new Bug('a closed request is neither pending nor consumed')
  return [
    ...approvalMoved(approval.held, approval.to, { type: 'approval.closed', outcome: state }),
    { kind: 'swap', table: 'calls', id: row.call_id, from: call.version, to: row },
    {
      kind: 'audit',
      entry: auditOf(`approval.${state}`, row, now, { actor, outcome: row.state, about: { code: why.code } }),
    },
  ]
}
