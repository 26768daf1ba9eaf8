import type { RunId } from '../contract/ids.ts'
import { isEndedRun, type ChildRun, type RunEvent, type RunRow } from '../contract/run.ts'
import { nextTimer } from './advance-run.ts'
import type { Change } from '../ports/ledger.ts'

/** A new run, with its first event if it has one, and the wake-up for the driver. */
export function newRunChanges(row: RunRow, event?: RunEvent): Change[] {
  const created: Change = { kind: 'swap', table: 'runs', id: row.run_id, from: 'absent', to: row }
  if (event !== undefined) return [created, ...addRunEvent(row.run_id, event)]
  const at = nextTimer(row)
  return at === undefined ? [created] : [created, { kind: 'wake', run: row.run_id, at }]
}

/** Adds an event to a run. */
export function addRunEvent(run: RunId, event: RunEvent): Change[] {
  return [
    { kind: 'event', run, event },
    { kind: 'wake', run },
  ]
}

/** A run that another one starts. Owner and thread are its parent's unless it has its own. */
export function childRunChanges({ event, ...child }: ChildRun, parent: RunRow, created_at: number): Change[] {
  const { owner, thread } = parent
  const row: RunRow = {
    v: 2,
    ...(owner === undefined ? {} : { owner }),
    ...(thread === undefined ? {} : { thread }),
    ...child,
    parent: parent.run_id,
    status: 'waiting',
    cursor: 0,
    executing: [],
    timers: {},
    created_at,
  }
  return newRunChanges(row, event)
}

/** Removes wake-ups that were processed; the next timer, or the next retry after a fault, is kept. */
export function restChange(row: RunRow, cursor: number): Change {
  const next = isEndedRun(row) || row.status === 'faulted' ? undefined : (row.fault?.retry_at ?? nextTimer(row))
  return { kind: 'rest', run: row.run_id, cursor, ...(next === undefined ? {} : { next }) }
}
