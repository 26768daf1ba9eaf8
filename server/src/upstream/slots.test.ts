import { describe, expect, test } from 'vitest'
import { openSlots, type Release } from './slots.ts'

const LONG = 60_000
const taken = (slot: Release | string): Release => {
  if (typeof slot === 'string') throw new Error(`no place: ${slot}`)
  return slot
}

describe('slots', () => {
  test('a released slot goes to the longest waiting caller', async () => {
    const slots = openSlots(1, 10)
    const first = taken(await slots.take(LONG))
    const order: string[] = []
    const waiters = ['a', 'b', 'c'].map(async (name) => {
      const release = taken(await slots.take(LONG))
      order.push(name)
      release()
    })
    expect([slots.active(), slots.queued()]).toEqual([1, 3])
    first()
    await Promise.all(waiters)
    expect([order, slots.active(), slots.queued()]).toEqual([['a', 'b', 'c'], 0, 0])
  })

  test('nobody waits behind a full queue', async () => {
    const slots = openSlots(1, 1)
    const first = taken(await slots.take(LONG))
    const second = slots.take(LONG)
    expect(await slots.take(LONG)).toBe('full')
    first()
    taken(await second)()
    expect(slots.active()).toBe(0)
  })

  test('a slot released twice is free once', async () => {
    const slots = openSlots(2, 1)
    const [first] = [taken(await slots.take(LONG)), taken(await slots.take(LONG))]
    first()
    first()
    expect(slots.active()).toBe(1)
  })

  test('a caller that waits too long or gives up leaves the queue', async () => {
    const slots = openSlots(1, 10)
    const held = taken(await slots.take(LONG))
    const giving_up = new AbortController()
    const waiting = [slots.take(1), slots.take(LONG, giving_up.signal)]
    giving_up.abort()
    expect(await Promise.all(waiting)).toEqual(['late', 'aborted'])
    expect(await slots.take(LONG, giving_up.signal)).toBe('aborted')
    expect(slots.queued()).toBe(0)
    held()
    expect(slots.active()).toBe(0)
  })
})
