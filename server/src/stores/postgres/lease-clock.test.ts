import { expect, test } from 'vitest'
import { leaseClock } from './lease-clock.ts'

function clocksAt() {
  const at = { monotonic: 1_000, wall: 1_000_000 }
  const lease = leaseClock(5_000, { monotonic: () => at.monotonic, wall: () => at.wall })
  const pass = (monotonic: number, wall = monotonic) => {
    at.monotonic += monotonic
    at.wall += wall
  }
  return { lease, pass }
}

test('a lease that was never granted does not run', () => {
  expect(clocksAt().lease.isRunning()).toBe(false)
})

test('it is counted from before it was asked for, and ends before the database ends it', () => {
  const { lease, pass } = clocksAt()
  const asked = lease.ask()
  pass(3_000)
  lease.granted(asked)
  expect(lease.isRunning()).toBe(true)
  pass(1_400)
  expect(lease.isRunning()).toBe(true)
  pass(101)
  expect(lease.isRunning()).toBe(false)
})

test('a renewal that is granted makes it run again', () => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask())
  pass(60_000)
  expect(lease.isRunning()).toBe(false)
  lease.granted(lease.ask())
  expect(lease.isRunning()).toBe(true)
})

test.each([
  ['a suspended machine, where only the wall clock goes on', 0, 60_000],
  ['a wall clock that was set back while the process stood still', 60_000, -3_600_000],
  ['a wall clock that jumps forward', 10, 3_600_000],
])('it does not run after %s', (_says, monotonic, wall) => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask())
  pass(monotonic, wall)
  expect(lease.isRunning()).toBe(false)
})

test('a wall clock that is set back while the process works changes nothing', () => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask())
  pass(1_000, -3_600_000)
  expect(lease.isRunning()).toBe(true)
})
