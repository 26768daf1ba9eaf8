import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { momentOf, timeAt } from './time.ts'

describe('timeAt', () => {
  test('agrees with the calendar at any time', () => {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'UTC',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 7_258_118_400_000 }), (now) => {
        const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
        const time = timeAt(now)
        expect(time.date).toBe(`${parts['year']}-${parts['month']}-${parts['day']}`)
        expect(time.clock).toBe(`${parts['hour']}:${parts['minute']}`)
        expect(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][time.weekday - 1]).toBe(parts['weekday'])
      }),
      { numRuns: 500 },
    )
  })
})

describe('momentOf', () => {
  test('inverts timeAt, to the minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120_000_000 }), (minutes) => {
        const { date, clock } = timeAt(minutes * 60_000)
        expect(momentOf(`${date}T${clock}Z`)).toBe(minutes * 60_000)
      }),
      { numRuns: 500 },
    )
  })

  test.each(['2026-02-30T09:30Z', '2026-13-01T09:30Z', '2026-01-01T24:00Z', '2026-01-01', '', 'now'])(
    '`%s` is not a valid time',
    (text) => {
      expect(momentOf(text)).toBeUndefined()
    },
  )
})
