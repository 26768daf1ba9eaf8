import type { CallRow, CallState } from '../contract/call.ts'
import { isEndedRun, type RunRow } from '../contract/run.ts'
import type { Companion } from '../changes/companions.ts'
import type { Change } from '../ports/ledger.ts'
import type { Clock } from '../ports/runtime.ts'

const EXPIRABLE: ReadonlySet<CallState> = new Set(['executed', 'failed', 'refused', 'not_reported'])

/**
 * A call or a run that ends is stored with the day on which it ended, so that the retention sweep finds it. Here and not where calls
 * end, because they end in many places.
 */
export const endDays = (clock: Clock): Companion => ({ stamp: (change) => stamped(change, clock) })

function stamped(change: Change, clock: Clock): Change {
  if (change.kind !== 'swap') return change
  if (change.table === 'calls') {
    const to = withDay(change.to, hasEnded(change.to), clock)
    return to === change.to ? change : { ...change, to }
  }
  if (change.table === 'runs') {
    const to = withDay(change.to, isEndedRun(change.to), clock)
    return to === change.to ? change : { ...change, to }
  }
  return change
}

function withDay<Row extends CallRow | RunRow>(row: Row, ended: boolean, clock: Clock): Row {
  if (ended === (row.ended_day !== undefined) || row.expired_at !== undefined) return row
  if (ended) return { ...row, ended_day: dayOf(clock()) }
  const { ended_day: _, ...open } = row
  return open as Row
}

/** Nothing waits for it any more, including its read-back. */
export const hasEnded = ({ state, due }: CallRow): boolean => due === undefined && EXPIRABLE.has(state)

const DAY_MS = 86_400_000

/** The day of a time, counted from 1970 in UTC. */
export const dayOf = (at: number): string => String(Math.floor(at / DAY_MS))

/** How long texts are kept, in days after a call or a run ended. */
export type Period = number | 'never'

/** The last day whose rows have all expired. Undefined: nothing ever expires. */
export function lastExpiredDay(now: number, period: Period): number | undefined {
  return period === 'never' ? undefined : Math.floor(now / DAY_MS) - period - 1
}

/** Files older than this have expired. */
export function expiredBefore(now: number, period: Period): number | undefined {
  return period === 'never' ? undefined : now - period * DAY_MS
}
