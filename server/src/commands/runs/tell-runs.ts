import type { CallState } from '../../contract/call.ts'
import type { Change, Ledger } from '../ports.ts'
import { tellRun } from './run-changes.ts'

const ENDED: ReadonlySet<CallState> = new Set(['executed', 'refused', 'failed', 'unknown'])

/**
 * The same ledger; a call that was made for a run tells it how it ended. INVARIANT: in the commit in which it ends, so that no
 * crash can come between, and whoever ends it: a person, the driver, an expiry or the recovery.
 */
export function tellRuns(ledger: Ledger): Ledger {
  return {
    commit(changes) {
      const told = changes.flatMap(toldBy)
      return ledger.commit(told.length === 0 ? changes : [...changes, ...told])
    },
  }
}

function toldBy(change: Change): Change[] {
  if (change.kind !== 'swap' || change.table !== 'calls') return []
  const { for_run, call_id, state } = change.to
  if (for_run === undefined || !ENDED.has(state)) return []
  return tellRun(for_run, { type: 'call.ended', call_id, state })
}
