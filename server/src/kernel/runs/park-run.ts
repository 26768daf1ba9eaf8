import type { RunId } from '../contract/ids.ts'
import { isEndedRun, type RunRow } from '../contract/run.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Liveness } from '../ports/liveness.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { restChange } from './run-changes.ts'

export type ParkPorts = {
  readonly tables: Pick<Tables, 'row'>
  readonly ledger: Ledger
  readonly liveness: Pick<Liveness, 'isAlive'>
  readonly clock: Clock
  readonly onFault: (run: RunId, error: unknown) => void
}

/** Whatever has arrived is read when the run continues. */
export const ANY_CURSOR = Number.MAX_SAFE_INTEGER

/** Something is wrong with the run itself: its kind or a performer is missing, or its row cannot be read. */
export async function parkFaulted(deps: ParkPorts, run_id: RunId, error: unknown): Promise<'parked' | 'ended'> {
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
export async function giveUp(deps: ParkPorts, run_id: RunId, says: string): Promise<void> {
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

/** One second, then four times as long each time; after the fifth fault in a row an admin has to intervene. */
const FIRST_MS = 1_000
const FACTOR = 4
const MOST_FAULTS = 5
const LONGEST_SAYS = 500

/** The run after a step or performer threw: to be retried later, or parked for an admin. */
export function faultedRow(row: RunRow, says: string, now: number): RunRow {
  const count = (row.fault?.count ?? 0) + 1
  const fault = { count, at: now, says: says.slice(0, LONGEST_SAYS) }
  if (count >= MOST_FAULTS) return { ...row, status: 'faulted', fault }
  return { ...row, fault: { ...fault, retry_at: now + FIRST_MS * FACTOR ** (count - 1) } }
}

/** The run after every attempt to drive it failed: parked for an admin at once. */
function parkedRow(row: RunRow, says: string, now: number): RunRow {
  return { ...row, status: 'faulted', fault: { count: MOST_FAULTS, at: now, says: says.slice(0, LONGEST_SAYS) } }
}

/** An admin has fixed the cause. */
export function resumedRow({ fault: _, ...row }: RunRow): RunRow {
  return { ...row, status: row.executing.length > 0 ? 'active' : 'waiting' }
}

export const mayTryNow = ({ fault }: RunRow, now: number): boolean => (fault?.retry_at ?? 0) <= now
