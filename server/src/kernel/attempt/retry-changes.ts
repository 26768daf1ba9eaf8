import { isoTime } from '../text/iso-time.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import type { CallRow } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import type { RetryFact } from '../decide/facts.ts'
import { heldCall, parkCall } from './held-call.ts'
import { beginRun } from '../runs/begin-run.ts'
import type { Change } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { newRunChanges, addRunEvent } from '../runs/run-changes.ts'

/**
 * A person or the recovery has ordered a retry that needs no request, and it has not started yet: starting uses the order up. Only an
 * idempotent call is retried like this, whatever an earlier release has ordered.
 */
export const isToBeRetried = (row: CallRow): boolean =>
  row.state === 'unknown' && row.settled?.as === 'retry' && row.idempotent

/** Nobody has settled it: a person has to. */
export const isUnsettled = (row: CallRow): boolean => row.state === 'unknown' && !isToBeRetried(row)

/** Whether a retry does no harm: the tool was idempotent when the call was recorded, and still is. */
export const isHarmless = (row: CallRow, tool: Pick<Tool, 'idempotent'> | undefined): boolean =>
  row.idempotent && tool?.idempotent === true

/** What a retry is judged by; undefined if it does no harm. */
export function retryFact(row: CallRow, tool: Pick<Tool, 'idempotent'>): RetryFact | undefined {
  if (row.state !== 'unknown' || isHarmless(row, tool)) return undefined
  const { attempt, started_at, called_off } = row
  const sent = started_at === undefined ? {} : { sent: isoTime(started_at) }
  return { attempt, ...sent, is_called_off: called_off !== undefined }
}

/** A retry of an interrupted call: an event for the run it belongs to, or for a new one, and the wake-up. */
export function retryChanges(
  deps: { readonly ids: Ids; readonly clock: Clock },
  row: CallRow,
): { row: CallRow; changes: Change[] } {
  const run_id = row.run_id ?? deps.ids.run()
  const retried = { type: 'call.retried' }
  if (row.run_id !== undefined) return { row, changes: addRunEvent(run_id, retried) }
  const labels = { owner: callerIdentity(row.caller), thread: row.thread }
  const run = beginRun(heldCall, run_id, parkCall(row), deps.clock(), labels)
  return { row: { ...row, run_id }, changes: newRunChanges(run, retried) }
}
