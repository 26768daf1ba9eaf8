import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { steadyClock } from './steady-clock.ts'

const HOUR = 3_600_000

function clocksAt(wall = 1_000_000) {
  const at = { wall, monotonic: 0 }
  const steady = steadyClock({ wall: () => at.wall, monotonic: () => at.monotonic })
  return {
    steady,
    pass(ms: number) {
      at.wall += ms
      at.monotonic += ms
    },
    set: (by: number) => void (at.wall += by),
    wall: () => at.wall,
  }
}

test('law: it never goes back and is never behind what was seen, whatever happens to the machine', () => {
  const step = fc.oneof(
    fc.record({ is: fc.constant('pass' as const), by: fc.nat(2 * HOUR) }),
    fc.record({ is: fc.constant('set' as const), by: fc.integer({ min: -100 * HOUR, max: 100 * HOUR }) }),
    fc.record({ is: fc.constant('see' as const), by: fc.integer({ min: -HOUR, max: HOUR }) }),
  )
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { steady, pass, set, wall } = clocksAt(1e12)
      let latest = steady.now()
      for (const { is, by } of steps) {
        if (is === 'pass') pass(by)
        else if (is === 'set') set(by)
        else steady.see(wall() + by)
        const seen = is === 'see' ? Math.max(latest, wall() + by) : latest
        latest = steady.now()
        expect(latest).toBeGreaterThanOrEqual(seen)
        expect(latest).toBeGreaterThanOrEqual(wall())
        expect(Number.isInteger(latest)).toBe(true)
      }
    }),
  )
})

test('behind the latest time seen it goes on, a little slower, until the machine has caught up', () => {
  const { steady, pass, set, wall } = clocksAt()
  const from = steady.now()
  set(-HOUR)
  pass(60_000)
  expect(steady.now() - from).toBe(54_000)
  for (let minute = 0; minute < 700; minute += 1) {
    pass(60_000)
    steady.now()
  }
  expect(steady.now()).toBe(wall())
  expect(steady.ahead()).toBe(0)
})

test('a correction by the operator takes it back', () => {
  const { steady, set, wall } = clocksAt()
  set(HOUR)
  steady.now()
  set(-HOUR)
  expect(steady.ahead()).toBe(HOUR)
  steady.correct(wall())
  expect(steady.now()).toBe(wall())
})

test('a jump ahead is reported once, and time that passes is none', () => {
  const { steady, pass, set } = clocksAt()
  pass(HOUR)
  steady.now()
  expect(steady.hasJumped()).toBe(false)
  set(HOUR)
  steady.now()
  expect([steady.hasJumped(), steady.hasJumped()]).toEqual([true, false])
})
