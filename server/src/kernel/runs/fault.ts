import type { RunRow } from '../contract/run.ts'

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
export function parkedRow(row: RunRow, says: string, now: number): RunRow {
  return { ...row, status: 'faulted', fault: { count: MOST_FAULTS, at: now, says: says.slice(0, LONGEST_SAYS) } }
}

/** An admin has fixed the cause. */
export function resumedRow({ fault: _, ...row }: RunRow): RunRow {
  return { ...row, status: row.executing.length > 0 ? 'active' : 'waiting' }
}

export const mayTryNow = ({ fault }: RunRow, now: number): boolean => (fault?.retry_at ?? 0) <= now
