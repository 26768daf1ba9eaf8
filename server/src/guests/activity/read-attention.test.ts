import { expect, test } from 'vitest'
import { isEnding } from './read-attention.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const consent = { state: 'active', calls: 10, calls_left: 5, minted_at: 0, expires_at: 10 * HOUR } as const

test.each([
  ['in the middle of its time', {}, 5 * HOUR, false],
  ['in the last fifth of its time', {}, 8.5 * HOUR, true],
  ['long, and in its last fifth, but with more than a day left', { expires_at: 30 * DAY }, 28 * DAY, false],
  ['long, and in its last day', { expires_at: 30 * DAY }, 29.5 * DAY, true],
  ['with a fifth of its calls left', { calls_left: 2 }, HOUR, true],
  ['in the last fifth of its time, but never used', { calls_left: 10 }, 9 * HOUR, false],
  ['used up', { state: 'exhausted', calls_left: 0 }, HOUR, false],
  ['revoked', { state: 'revoked' }, 9 * HOUR, false],
] as const)('a consent that is %s', (_, more, now, is) => {
  expect(isEnding({ ...consent, ...more }, now)).toBe(is)
})
