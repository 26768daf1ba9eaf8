import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loginRateLimit } from './login-rate-limit.ts'

const LIMITS = { per_address: 3, overall: 10, window_s: 60 }

function rig() {
  const time = { now: 1_000_000 }
  const knocks = loginRateLimit(LIMITS, () => time.now)
  const fail = (address: string, times: number) =>
    Array.from({ length: times }, (_, nth) => knocks.failed(address, `wrong ${nth}`))
  return { time, knocks, fail }
}

describe('wrong credentials', () => {
  test('of one address make it wait until its window ends, and are told of once', () => {
    const { time, knocks, fail } = rig()
    expect(fail('10.0.0.1', 2)).toEqual([false, false])
    expect(knocks.wait('10.0.0.1', 'k')).toBe(0)
    time.now += 20_000
    expect(fail('10.0.0.1', 2)).toEqual([true, false])
    expect(knocks.wait('10.0.0.1', 'k')).toBe(40)
    time.now += 39_001
    expect(knocks.wait('10.0.0.1', 'k')).toBe(1)
    time.now += 1_000
    expect(knocks.wait('10.0.0.1', 'k')).toBe(0)
  })

  test('of one address do not make another wait, nor a key that has been good at the same one', () => {
    const { knocks, fail } = rig()
    knocks.passed('10.0.0.1', 'good')
    fail('10.0.0.1', 5)
    expect(knocks.wait('10.0.0.1', 'other')).toBe(60)
    expect(knocks.wait('10.0.0.1', 'good')).toBe(0)
    expect(knocks.wait('10.0.0.2', 'other')).toBe(0)
    knocks.failed('10.0.0.1', 'good')
    expect(knocks.wait('10.0.0.1', 'good')).toBe(60)
  })

  test('of many addresses leave each of them one try, and addresses without a failure all of theirs', () => {
    const { knocks, fail } = rig()
    for (let nth = 0; nth < 10; nth += 1) fail(`10.0.1.${nth}`, 1)
    expect(knocks.wait('10.0.1.3', 'k')).toBe(60)
    expect(knocks.wait('10.0.2.1', 'k')).toBe(0)
    fail('10.0.2.1', 1)
    expect(knocks.wait('10.0.2.1', 'k')).toBe(60)
  })

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::1', '::2', true],
    ['fe80::1%eth0', 'fe80::2', true],
  ])('of %s count for %s: %s', (one, other, isSame) => {
    const { knocks, fail } = rig()
    fail(one, 3)
    expect(knocks.wait(other, 'k') > 0).toBe(isSame)
  })

  test('of twenty thousand addresses fit in bounded memory, and the latest are remembered', () => {
    const { knocks, fail } = rig()
    for (let nth = 0; nth < 20_000; nth += 1) fail(`h${nth}`, 1)
    expect(knocks.wait('h19999', 'k')).toBe(60)
    expect(knocks.wait('h5', 'k')).toBe(0)
  })

  test('never make an address wait that has none in the window', () => {
    const step = fc.record({ from: fc.nat({ max: 5 }), pass: fc.boolean(), later: fc.nat({ max: 30_000 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { time, knocks } = rig()
        for (const { from, pass, later } of steps) {
          time.now += later
          if (pass) knocks.passed(`a${from}`, 'k')
          else knocks.failed(`a${from}`, `w${from}`)
          expect(knocks.wait('clean', 'k')).toBe(0)
          expect(knocks.wait(`a${from}`, 'k')).toBeLessThanOrEqual(LIMITS.window_s)
        }
      }),
    )
  })
})
