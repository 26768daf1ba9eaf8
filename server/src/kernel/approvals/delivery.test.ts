import { expect, test } from 'vitest'
import { delivery, newDelivery, type DeliveryEvent } from './delivery.ts'

const { state: FRESH } = newDelivery({
  delivery_id: 'run_1',
  channel: 'pager',
  event: 'approval.pending',
  call_id: 'call_1',
  approval_id: 'auth_1',
  at: 1_000,
})
const timer = (now: number): DeliveryEvent => ({ type: 'timer', name: 'send', now })
const failed = (now: number): DeliveryEvent => ({ type: 'effect.done', key: 'k', outcome: 'failed', now })

test('a new message is sent at its first wake-up, and ends when it was accepted', () => {
  const sent = delivery.step(FRESH, timer(1_000))
  expect(sent.effects.map(({ key, kind }) => `${kind} ${key}`)).toEqual(['deliver pager/approval.pending/1'])
  expect(delivery.step(sent.state, { type: 'effect.done', key: 'k', outcome: 'delivered', now: 1_100 })).toMatchObject({
    ends: 'done',
    effects: [],
  })
})

test('each failure doubles the wait, up to ten minutes, and retries end after a day', () => {
  let state = FRESH
  let now = FRESH.at
  const waits: number[] = []
  for (;;) {
    const sent = delivery.step(state, timer(now))
    expect(sent.effects).toHaveLength(1)
    const next = delivery.step(sent.state, failed(now))
    if (next.ends !== undefined) break
    waits.push((next.timers?.['send'] ?? 0) - now)
    ;({ state } = next)
    now = next.timers?.['send'] ?? 0
  }
  expect(waits.slice(0, 4)).toEqual([500, 1_000, 2_000, 4_000])
  expect(Math.max(...waits)).toBe(600_000)
  expect(now - FRESH.at).toBeGreaterThanOrEqual(86_400_000)
  expect(now - FRESH.at).toBeLessThan(86_400_000 + 600_001)
})

test('a wake-up before its time sends nothing, and one while sending sends nothing more', () => {
  const sent = delivery.step(FRESH, timer(1_000)).state
  expect(delivery.step(sent, timer(9_000)).effects).toEqual([])
  const waiting = delivery.step(sent, failed(2_000)).state
  expect(delivery.step(waiting, timer(2_100))).toMatchObject({ effects: [], timers: { send: 2_500 } })
  expect(delivery.step(waiting, timer(2_500)).effects[0]?.key).toBe('pager/approval.pending/2')
})
