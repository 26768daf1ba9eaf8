const DAY = 86_400_000
const twoDigits = (value: number) => String(value).padStart(2, '0')

/** The parts of a point in time that a condition can use. */
export type Time = {
  readonly now: number
  readonly date: string
  readonly clock: string
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly weekday: number
}

/**
 * Calendar and clock in UTC; a week begins on Monday (1). Computed by hand, because the kernel may not use `Date`: a decision must
 * replay identically anywhere.
 */
export function timeAt(now: number): Time {
  const days = Math.floor(now / DAY)
  const minutes = Math.floor((now - days * DAY) / 60_000)
  const hour = Math.floor(minutes / 60)
  const minute = minutes % 60
  const { year, month, day } = civil(days)
  return {
    now,
    date: `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`,
    clock: `${twoDigits(hour)}:${twoDigits(minute)}`,
    year,
    month,
    day,
    hour,
    minute,
    weekday: ((((days + 3) % 7) + 7) % 7) + 1,
  }
}

/** The Gregorian date of a day since 1970, computed in eras of 400 years that begin on 1 March. */
function civil(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})Z$/

/** The time of a text like `2026-01-31T09:30Z`, with minutes and in UTC, in milliseconds since 1970. Undefined for any other form, and for a date that does not exist. */
export function momentOf(text: string): number | undefined {
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0] = (MOMENT.exec(text) ?? []).map(Number)
  const beforeMarch = month <= 2
  const years = beforeMarch ? year - 1 : year
  const era = Math.floor(years / 400)
  const yearOfEra = years - era * 400
  const dayOfYear = Math.floor((153 * (beforeMarch ? month + 9 : month - 3) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  const moment = (era * 146_097 + dayOfEra - 719_468) * DAY + (hour * 60 + minute) * 60_000
  const { date, clock } = timeAt(moment)
  return `${date}T${clock}Z` === text ? moment : undefined
}
