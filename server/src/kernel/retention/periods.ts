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
