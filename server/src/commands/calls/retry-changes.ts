import { callerIdentity } from '../../contract/caller-identity.ts'
import type { CallRow } from '../../contract/call.ts'
import { heldCall, parkCall } from '../../core/runs/held-call.ts'
import { beginRun } from '../../core/runs/begin-run.ts'
import type { Change } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { newRunChanges, addRunEvent } from '../runs/run-changes.ts'

/** A person or the recovery has ordered a retry, and it has not started yet: starting uses the order up. */
export const isToBeRetried = (row: CallRow): boolean => row.state === 'unknown' && row.settled?.as === 'retry'

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
