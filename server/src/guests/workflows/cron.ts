import { timeAt } from '../../kernel/policy/condition/time.ts'

/** Five fields as in Vixie cron, or an interval. */
export type Schedule =
  | { readonly is: 'every'; readonly ms: number }
  | {
      readonly is: 'cron'
      readonly minutes: ReadonlySet<number>
      readonly hours: ReadonlySet<number>
      readonly days: ReadonlySet<number>
      readonly months: ReadonlySet<number>
      readonly weekdays: ReadonlySet<number>
      /** If both are restricted, a day has to match only one of them. */
      readonly either: boolean
      /** Fixed times of the day: such a time is never skipped and never run twice when clocks change. */
      readonly fixed: boolean
    }

export type ParsedSchedule =
  { readonly ok: true; readonly value: Schedule } | { readonly ok: false; readonly says: string }

/** How many minutes a time zone is ahead of UTC at a given time. */
export type OffsetAt = (at: number) => number

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const LONGEST_EVERY_MS = 366 * 86_400_000
const MINUTE = 60_000

export function parseSchedule(text: string): ParsedSchedule {
  const trimmed = text.trim()
  if (trimmed.startsWith('@every')) return parseEvery(trimmed)
  const fields = (NICKNAMES[trimmed.toLowerCase()] ?? trimmed).split(/\s+/)
  if (fields.length !== 5)
    return { ok: false, says: `\`${trimmed}\` is not a schedule: write five fields, or \`@every 5m\`` }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const minutes = parseField(minute, 0, 59)
  const hours = parseField(hour, 0, 23)
  const days = parseField(day, 1, 31)
  const months = parseField(month, 1, 12, MONTHS)
  const weekdays = parseField(weekday, 0, 7, WEEKDAYS)
  for (const field of [minutes, hours, days, months, weekdays])
    if (typeof field === 'string') return { ok: false, says: field }
  const sets = [minutes, hours, days, months, weekdays] as readonly ReadonlySet<number>[]
  const [m = new Set(), h = new Set(), d = new Set(), mo = new Set(), w = new Set()] = sets
  const value: Schedule = {
    is: 'cron',
    minutes: m,
    hours: h,
    days: d,
    months: mo,
    weekdays: new Set([...w].map((one) => one % 7)),
    either: !day.startsWith('*') && !weekday.startsWith('*'),
    fixed: !minute.startsWith('*') && !hour.startsWith('*'),
  }
  return canEverFire(value) ? { ok: true, value } : { ok: false, says: `\`${trimmed}\` never occurs` }
}

function parseEvery(text: string): ParsedSchedule {
  const parts = /^@every\s+((?:\d{1,6}[smhd])+)$/.exec(text)?.[1]
  const ms = [...(parts?.matchAll(/(\d{1,6})([smhd])/g) ?? [])].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  )
  if (parts === undefined || ms < 1_000 || ms > LONGEST_EVERY_MS)
    return { ok: false, says: `\`${text}\` is not an interval: write \`@every 5m\`, from 1s to 366d` }
  return { ok: true, value: { is: 'every', ms } }
}

function parseField(
  text: string,
  from: number,
  to: number,
  names: readonly string[] = [],
): ReadonlySet<number> | string {
  const values = new Set<number>()
  const numberOf = (word: string): number | undefined => {
    const named = names.indexOf(word.toLowerCase())
    if (named !== -1) return named + (from === 1 ? 1 : 0)
    return /^\d{1,2}$/.test(word) ? Number(word) : undefined
  }
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? []
    const [first = '', last] = range.split('-')
    const low = range === '*' ? from : numberOf(first)
    const high = range === '*' ? to : last === undefined ? (step === undefined ? low : to) : numberOf(last)
    const by = step === undefined ? 1 : Number(step)
    const isRange = range === '*' || range.split('-').length <= 2
    if (low === undefined || high === undefined || !isRange || by < 1 || low < from || high > to || low > high)
      return `\`${part}\` is not a field of a schedule from ${from} to ${to}`
    for (let value = low; value <= high; value += by) values.add(value)
  }
  return values
}

const LONGEST_MONTH: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** June 31 never occurs, unless a weekday matches as well. */
function canEverFire(schedule: Extract<Schedule, { is: 'cron' }>): boolean {
  if (schedule.either || schedule.days.size === 31) return true
  return [...schedule.months].some((month) => [...schedule.days].some((day) => day <= (LONGEST_MONTH[month - 1] ?? 0)))
}

/** The first time after `after` at which a schedule fires. `since`: when an interval began. */
export function nextTime(schedule: Schedule, after: number, offsetAt: OffsetAt, since = 0): number {
  if (schedule.is === 'every') return since + (Math.floor((after - since) / schedule.ms) + 1) * schedule.ms
  let at = (Math.floor(after / MINUTE) + 1) * MINUTE
  const limit = at + 9 * 366 * 86_400_000
  while (at < limit) {
    if (comesAt(schedule, at, offsetAt)) return at
    at += skippable(schedule, at, offsetAt)
  }
  return limit
}

type Cron = Extract<Schedule, { is: 'cron' }>

function comesAt(schedule: Cron, at: number, offsetAt: OffsetAt): boolean {
  const now = offsetAt(at)
  const before = offsetAt(at - MINUTE)
  // Clocks went forward here: skipped times fire now.
  if (schedule.fixed && now > before)
    for (let skipped = 0; skipped < now - before; skipped += 1)
      if (fits(schedule, at + (before + skipped) * MINUTE)) return true
  if (!fits(schedule, at + now * MINUTE)) return false
  return !schedule.fixed || !isSecondTime(at, now, offsetAt)
}

/** Clocks went back during the last hours, and this time of the day already occurred. */
function isSecondTime(at: number, now: number, offsetAt: OffsetAt): boolean {
  const earlier = offsetAt(at - 3 * 3_600_000)
  if (earlier <= now) return false
  const first = at - (earlier - now) * MINUTE
  return offsetAt(first) === earlier
}

function fits({ minutes, hours, days, months, weekdays, either }: Cron, local: number): boolean {
  const { minute, hour, day, month, weekday } = clockOf(local)
  if (!minutes.has(minute) || !hours.has(hour) || !months.has(month)) return false
  return either ? days.has(day) || weekdays.has(weekday) : days.has(day) && weekdays.has(weekday)
}

/**
 * How far it is safe to skip: to the next minute, or to the next hour if this hour or day does not match. Clocks never change by
 * more.
 */
function skippable({ hours, days, months, weekdays, either }: Cron, at: number, offsetAt: OffsetAt): number {
  const { minute, hour, day, month, weekday } = clockOf(at + offsetAt(at) * MINUTE)
  const isDay =
    months.has(month) && (either ? days.has(day) || weekdays.has(weekday) : days.has(day) && weekdays.has(weekday))
  if (!isDay && hour < 20) return (20 - hour) * 3_600_000 - minute * MINUTE
  return isDay && hours.has(hour) ? MINUTE : (60 - minute) * MINUTE
}

/** The calendar fields of a time; Sunday is 0. */
function clockOf(local: number) {
  const { minute, hour, day, month, weekday } = timeAt(local)
  return { minute, hour, day, month, weekday: weekday % 7 }
}
