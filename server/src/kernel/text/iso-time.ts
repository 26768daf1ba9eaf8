const FORM = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** A larger number is taken as milliseconds since 1970, a smaller one as seconds. */
const MOST_SECONDS = 100_000_000_000

/**
 * Milliseconds since 1970 of a record's timestamp: ISO 8601 (UTC if it names no zone), or a number of seconds or milliseconds.
 * Computed by hand, because kernel/ may not use `Date`: a decision must replay identically anywhere.
 */
export function recordTime(timestamp: unknown): number | undefined {
  if (typeof timestamp === 'number')
    return Number.isFinite(timestamp) && timestamp >= 0 ? timestamp * (timestamp < MOST_SECONDS ? 1000 : 1) : undefined
  const parts = typeof timestamp === 'string' ? FORM.exec(timestamp.trim()) : null
  if (parts === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const isReal =
    month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour < 24 && minute < 60 && second < 60
  const offset = offsetOf(parts[8] ?? 'Z')
  if (!isReal || offset === undefined) return undefined
  const fraction = Math.floor(Number(`0.${parts[7] ?? '0'}`) * 1000)
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset
  return (minutes * 60 + second) * 1000 + fraction
}

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysIn = (year: number, month: number) => (month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0))

/** Minutes ahead of UTC. */
function offsetOf(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Counts years from 1 March, so that a leap day is the last day of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** A time as people and JSON write it. */
// oxlint-disable-next-line no-restricted-globals -- formats a time that is given, and reads no clock
export const isoTime = (ms: number): string => new Date(ms).toISOString()
