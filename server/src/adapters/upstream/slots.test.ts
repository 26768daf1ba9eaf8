import { describe, expect, test } from 'vitest'
import { openSlots } from './slots.ts'

const LONG = 60_000

describe('slots', () => {
  test('a released slot goes to the longest waiting caller', async () => {
    const slots = openSlots(1, 10)
    expect(await slots.take(LONG)).toBe('taken')
    const order: string[] = []
    const waiters = ['a', 'b', 'c'].map(async (name) => {
      expect(await slots.take(LONG)).toBe('taken')
      order.push(name)
      slots.release()
    })
    expect([slots.active(), slots.queued(), slots.takeFree()]).toEqual([1, 3, false])
    slots.release()
    await Promise.all(waiters)
    expect([order, slots.active(), slots.queued()]).toEqual([['a', 'b', 'c'], 0, 0])
  })

  test('nobody waits behind a full queue', async () => {
    const slots = openSlots(1, 1)
    expect(slots.takeFree()).toBe(true)
    const second = slots.take(LONG)
    expect(await slots.take(LONG)).toBe('full')
    slots.release()
    expect(await second).toBe('taken')
    slots.release()
    expect(slots.active()).toBe(0)
  })

  test('releasing a slot that nobody has is a bug', () => {
    const slots = openSlots(2, 1)
    expect(slots.takeFree()).toBe(true)
    slots.release()
    expect(() => slots.release()).toThrow('released twice')
    expect(slots.active()).toBe(0)
  })

  test('a caller that waits too long or gives up leaves the queue', async () => {
    const slots = openSlots(1, 10)
    expect(await slots.take(LONG)).toBe('taken')
    const giving_up = new AbortController()
    const waiting = [slots.take(1), slots.take(LONG, giving_up.signal)]
    giving_up.abort()
    expect(await Promise.all(waiting)).toEqual(['late', 'aborted'])
    expect(await slots.take(LONG, giving_up.signal)).toBe('aborted')
    expect(slots.queued()).toBe(0)
    slots.release()
    expect(slots.active()).toBe(0)
  })
})
