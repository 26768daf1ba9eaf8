import { describe, expect, test } from 'vitest'
import { nextTime, parseSchedule, type OffsetAt } from '../cron.ts'

const UTC: OffsetAt = () => 0
/** Central European Time in 2026: forward on March 29, back on October 25, both at 01:00 UTC. */
const CET: OffsetAt = (at) => (at >= Date.UTC(2026, 2, 29, 1) && at < Date.UTC(2026, 9, 25, 1) ? 120 : 60)

function next(schedule: string, after: string, offsetAt = UTC): string {
  const parsed = parseSchedule(schedule)
  if (!parsed.ok) return parsed.says
  return new Date(nextTime(parsed.value, Date.parse(after), offsetAt)).toISOString().slice(0, 16)
}

describe('a schedule', () => {
  test.each([
    ['*/15 * * * *', '2026-11-16T10:07:30Z', '2026-11-16T10:15'],
    ['0 9 * * 1-5', '2026-11-13T09:00:00Z', '2026-11-16T09:00'],
    ['30 4 1,15 * *', '2026-11-16T00:00:00Z', '2026-12-01T04:30'],
    // Both the day and the weekday are restricted: either one is enough.
    ['0 0 13 * 5', '2026-11-14T00:00:00Z', '2026-11-20T00:00'],
    // A field that begins with a star is not a restriction, even with a step.
    ['0 0 */2 * 5', '2026-11-16T00:00:00Z', '2026-11-27T00:00'],
    ['0 0 29 2 *', '2026-11-16T00:00:00Z', '2028-02-29T00:00'],
    ['0 0 * jan sun', '2026-11-16T00:00:00Z', '2027-01-03T00:00'],
    ['0 0 * * 7', '2026-11-16T00:00:00Z', '2026-11-22T00:00'],
    ['59 23 31 12 *', '2026-12-31T23:59:00Z', '2027-12-31T23:59'],
    ['5-10/5 * * * *', '2026-11-16T00:05:00Z', '2026-11-16T00:10'],
    ['@daily', '2026-11-16T00:00:00Z', '2026-11-17T00:00'],
  ])('%s after %s is due at %s', (schedule, after, at) => {
    expect(next(schedule, after)).toBe(at)
  })

  test('counts an interval from its beginning', () => {
    const parsed = parseSchedule('@every 5m')
    expect(parsed.ok && nextTime(parsed.value, 1_000_000, UTC, 700_000)).toBe(1_300_000)
    expect(parsed.ok && nextTime(parsed.value, 1_300_000, UTC, 700_000)).toBe(1_600_000)
  })

  test('runs a skipped time right after clocks went forward, and a repeated time once', () => {
    expect(next('30 2 * * *', '2026-03-28T12:00:00Z', CET)).toBe('2026-03-29T01:00')
    expect(next('30 2 * * *', '2026-03-29T01:00:00Z', CET)).toBe('2026-03-30T00:30')
    expect(next('30 2 * * *', '2026-10-24T12:00:00Z', CET)).toBe('2026-10-25T00:30')
    expect(next('30 2 * * *', '2026-10-25T00:30:00Z', CET)).toBe('2026-10-26T01:30')
    // An hourly schedule still fires every hour.
    expect(next('30 * * * *', '2026-10-25T00:30:00Z', CET)).toBe('2026-10-25T01:30')
  })

  test.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    'a * * * *',
    '0 0 31 6 *',
    '@every',
    '@every 5',
    '@every 0s',
    '@every 5x',
    '1-2-3 * * * *',
    '* * * * * *',
  ])('`%s` is rejected', (text) => {
    expect(parseSchedule(text).ok).toBe(false)
  })
})
