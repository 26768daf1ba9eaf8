import type { CallRow } from '../../contract/call.ts'
import { heldCall, parkCall } from '../../core/runs/held-call.ts'
import { newRun } from '../../core/runs/new-run.ts'
import type { Change, Clock, Ids } from '../ports.ts'

/** One more try of an interrupted call: an event for the run it belongs to, or for a new one, and the wake-up. */
export function retryChanges(
  deps: { readonly ids: Ids; readonly clock: Clock },
  row: CallRow,
): { row: CallRow; changes: Change[] } {
  const run_id = row.run_id ?? deps.ids.run()
  const changes: Change[] = [
    { kind: 'event', run: run_id, event: { type: 'call.retried' } },
    { kind: 'wake', run: run_id },
  ]
  if (row.run_id !== undefined) return { row, changes }
  const run = newRun(heldCall, run_id, parkCall(row.call_id).state, deps.clock())
  return {
    row: { ...row, run_id },
    changes: [{ kind: 'swap', table: 'runs', id: run_id, from: 'absent', to: run }, ...changes],
  }
}
