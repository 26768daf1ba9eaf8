import type { RunId } from '../contract/ids.ts'
import { isEndedRun } from '../contract/run.ts'
import { faultedRow, parkedRow } from './fault.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Liveness } from '../ports/liveness.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { restChange } from './run-changes.ts'

export type ParkDeps = {
  readonly tables: Pick<Tables, 'row'>
  readonly ledger: Ledger
  readonly liveness: Pick<Liveness, 'isAlive'>
  readonly clock: Clock
  readonly onFault: (run: RunId, error: unknown) => void
}

/** Whatever has arrived is read when the run continues. */
export const ANY_CURSOR = Number.MAX_SAFE_INTEGER

/** Something is wrong with the run itself: its kind or a performer is missing, or its row cannot be read. */
export async function parkFaulted(deps: ParkDeps, run_id: RunId, error: unknown): Promise<'parked' | 'ended'> {
  deps.onFault(run_id, error)
  const held = await deps.tables.row('runs', run_id)
  if (held === undefined || isEndedRun(held.row)) return 'ended'
  const row = faultedRow(held.row, error instanceof Error ? error.message : String(error), deps.clock())
  await deps.ledger.commit([
    { kind: 'swap', table: 'runs', id: run_id, from: held.version, to: row },
    restChange(row, ANY_CURSOR),
  ])
  return 'parked'
}

/** Every attempt of a node to drive this run failed: an admin has to intervene. */
export async function giveUp(deps: ParkDeps, run_id: RunId, says: string): Promise<void> {
  const held = await deps.tables.row('runs', run_id)
  if (held === undefined || isEndedRun(held.row) || held.row.status === 'faulted') return
  // A node that performs its effects settles it itself.
  if (held.row.driver !== undefined && (await deps.liveness.isAlive(held.row.driver))) return
  const row = parkedRow(held.row, says, deps.clock())
  await deps.ledger.commit([
    { kind: 'swap', table: 'runs', id: run_id, from: held.version, to: row },
    restChange(row, ANY_CURSOR),
  ])
}
