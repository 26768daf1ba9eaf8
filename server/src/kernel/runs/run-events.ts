import type { CallState } from '../contract/call.ts'
import type { Companion } from '../changes/companions.ts'
import type { Change } from '../ports/ledger.ts'
import { addRunEvent } from './run-changes.ts'

/** A run is notified when its call reaches one of these states. */
export const REPORTED: ReadonlySet<CallState> = new Set(['executed', 'refused', 'failed', 'unknown'])

/**
 * A call made by a run adds an event to the run when it ends.
 * INVARIANT: the event is in the same commit, so no crash can separate them, whoever ends the call: a person, the driver, an expiry or the
 * recovery.
 */
export const runEvents: Companion = {
  add: (changes) => (changes.some(isOfRun) ? changes.flatMap(eventsOf) : NOTHING),
}

const isOfRun = (change: Change): boolean =>
  change.kind === 'swap' && change.table === 'calls' && change.to.by_run !== undefined

function eventsOf(change: Change): Change[] {
  if (change.kind !== 'swap' || change.table !== 'calls') return []
  const { by_run, call_id, state } = change.to
  if (by_run === undefined || !REPORTED.has(state)) return []
  return addRunEvent(by_run.run_id, { type: 'call.ended', call_id, state })
}

const NOTHING: readonly Change[] = []
