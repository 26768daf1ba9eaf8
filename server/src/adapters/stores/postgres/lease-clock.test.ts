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

test('a lease that was never granted is not valid', () => {
  expect(clocksAt().lease.isRunning()).toBe(false)
})

test('it is counted from before it was requested, and ends before the database ends it', () => {
  const { lease, pass } = clocksAt()
  const asked = lease.ask()
  pass(3_000)
  lease.granted(asked, true)
  expect(lease.isRunning()).toBe(true)
  pass(1_400)
  expect(lease.isRunning()).toBe(true)
  pass(101)
  expect(lease.isRunning()).toBe(false)
})

test('a granted renewal makes it valid again', () => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask(), false)
  pass(60_000)
  expect(lease.isRunning()).toBe(false)
  lease.granted(lease.ask(), false)
  expect(lease.isRunning()).toBe(true)
})

test.each([
  ['a suspended machine, where only the wall clock continues', 0, 60_000],
  ['a wall clock that was set back while the process was stopped', 60_000, -3_600_000],
  ['a wall clock that jumps forward', 10, 3_600_000],
])('it is not valid after %s', (_says, monotonic, wall) => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask(), false)
  pass(monotonic, wall)
  expect(lease.isRunning()).toBe(false)
})

test('a wall clock that is set back while the process works changes nothing', () => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask(), false)
  pass(1_000, -3_600_000)
  expect(lease.isRunning()).toBe(true)
})

test('it is steady once it was renewed for a whole period without a break', () => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask(), true)
  for (let second = 1; second <= 5; second += 1) {
    expect(lease.isSteady()).toBe(false)
    pass(1_000)
    lease.granted(lease.ask(), false)
  }
  expect(lease.isSteady()).toBe(true)
})

test.each([
  ['ran out here', 60_000, false],
  ['was renewed late', 2_500, false],
  ['had run out in the database, whatever the clocks here say', 1_000, true],
])('one that %s is not steady until another period has passed', (_says, ms, isNew) => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask(), true)
  for (let second = 0; second < 5; second += 1) {
    pass(1_000)
    lease.granted(lease.ask(), false)
  }
  expect(lease.isSteady()).toBe(true)
  pass(ms)
  lease.granted(lease.ask(), isNew)
  expect([lease.isRunning(), lease.isSteady()]).toEqual([true, false])
  for (let second = 0; second < 5; second += 1) {
    expect(lease.isSteady()).toBe(false)
    pass(1_000)
    lease.granted(lease.ask(), false)
  }
  expect(lease.isSteady()).toBe(true)
})

test('it is not steady while its renewal is late', () => {
  const { lease, pass } = clocksAt()
  for (let second = 0; second <= 5; second += 1) {
    lease.granted(lease.ask(), second === 0)
    pass(1_000)
  }
  expect(lease.isSteady()).toBe(true)
  pass(1_500)
  expect([lease.isRunning(), lease.isSteady()]).toEqual([true, false])
})

test('a renewal whose answer came after the lease had ended does not make it valid, and it is not steady', () => {
  const { lease, pass } = clocksAt()
  lease.granted(lease.ask(), true)
  const asked = lease.ask()
  pass(60_000)
  lease.granted(asked, false)
  expect([lease.isRunning(), lease.isSteady()]).toEqual([false, false])
  lease.granted(lease.ask(), false)
  expect([lease.isRunning(), lease.isSteady()]).toEqual([true, false])
})
