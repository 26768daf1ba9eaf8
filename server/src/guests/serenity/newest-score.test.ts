import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timeAt } from '../../kernel/policy/condition/time.ts'
import { recordTime } from '../../kernel/text/iso-time.ts'
import { newestScore, readRecord } from './newest-score.ts'

const NOW = 1_700_000_000_000
const file = (fields: unknown, changed_at = NOW, name = 'trinity_health_1.json') =>
  readRecord({ name, changed_at, text: typeof fields === 'string' ? fields : JSON.stringify(fields) })
const scoreIn = (fields: unknown) => {
  const { fact } = file(fields)
  return fact.is === 'known' ? fact.score : 'unknown'
}

test.each([
  [0, 0],
  [95.5, 95.5],
  [100, 100],
  [-0.01, 'unknown'],
  [100.01, 'unknown'],
  ['95', 'unknown'],
  [null, 'unknown'],
  [true, 'unknown'],
  [[95], 'unknown'],
])('a score of %j is %j', (score, read) => {
  expect(scoreIn({ overall_trinity_score: score })).toBe(read)
})

test.each(['', '{', '[]', '95', 'null', '{"overall_trinity_score": NaN}', '{"overall_trinity_score": Infinity}', '{}'])(
  'a file that contains %j has no score',
  (text) => {
    expect(scoreIn(text)).toBe('unknown')
  },
)

test('a score inherited from a prototype does not count', () => {
  expect(scoreIn('{"__proto__": {"overall_trinity_score": 99}}')).toBe('unknown')
})

describe('the newest record', () => {
  const at = (timestamp: string | number | undefined, score: number, changed_at = NOW) =>
    file({ overall_trinity_score: score, ...(timestamp === undefined ? {} : { timestamp }) }, changed_at)

  test('is the one with the latest own timestamp, regardless of file times', () => {
    const old = at(NOW - 5_000, 10, NOW)
    const fresh = at(NOW - 1_000, 95, NOW - 90_000)
    expect(newestScore([old, fresh], NOW)).toMatchObject({ is: 'known', score: 95 })
    expect(newestScore([fresh, old], NOW)).toMatchObject({ is: 'known', score: 95 })
  })

  test('uses the time of its file if it has no timestamp', () => {
    expect(newestScore([at(undefined, 95, NOW - 10), at(NOW - 11, 10)], NOW)).toMatchObject({ score: 95, at: NOW - 10 })
  })

  test.each([
    [120_000, 95],
    [120_001, 50],
  ])('may be %i ms in the future, otherwise it is ignored: the score is %i', (ahead, score) => {
    expect(newestScore([at(NOW + ahead, 95), at(NOW - 1_000, 50)], NOW)).toMatchObject({ score })
  })

  test('is unknown if it cannot be read, however good an older one is', () => {
    expect(newestScore([at(NOW - 1_000, 95), file('{', NOW)], NOW)).toMatchObject({ is: 'unknown' })
    expect(newestScore([at(NOW, 95), file('{', NOW - 1_000)], NOW)).toMatchObject({ is: 'known', score: 95 })
  })

  test('is the worse one if two have the same time', () => {
    expect(newestScore([at(NOW, 95), at(NOW, 10)], NOW)).toMatchObject({ score: 10 })
    expect(newestScore([at(NOW, 95), at('never', 95, NOW)], NOW)).toMatchObject({ is: 'unknown' })
  })

  test('is unknown if there is none', () => {
    expect(newestScore([], NOW)).toEqual({
      is: 'unknown',
      says: 'contains no health record',
      source: 'serenity.log_dir',
    })
    expect(newestScore([at(NOW + 600_000, 95)], NOW)).toMatchObject({
      is: 'unknown',
      says: 'contains no health record',
    })
  })
})

describe('a timestamp', () => {
  test.each([
    ['2026-11-15T08:36:12Z', 1_794_731_772_000],
    ['2026-11-15T08:36:12.345678', 1_794_731_772_345],
    ['2026-11-15 08:36:12+02:00', 1_794_724_572_000],
    ['2026-11-15T08:36-0130', 1_794_737_160_000],
    [1_700_000_000, 1_700_000_000_000],
    [1_700_000_000_123, 1_700_000_000_123],
  ])('%j is %i', (text, time) => {
    expect(recordTime(text)).toBe(time)
  })

  test.each([
    '',
    'yesterday',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-15',
    '2026-11-15T24:00:00Z',
    -1,
    null,
    {},
  ])('%j is not a timestamp', (text) => {
    expect(recordTime(text)).toBeUndefined()
  })

  test('law: agrees with the calendar that policies use, for every minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * 366 * 24 * 60 }), (minute) => {
        const { date, clock } = timeAt(minute * 60_000)
        expect(recordTime(`${date}T${clock}Z`)).toBe(minute * 60_000)
      }),
    )
  })
})
