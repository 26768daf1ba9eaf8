import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

const queued = (key: string, kind = 'k', owner = 'ana') => ({ key, kind, owner })

test('owners take turns, whoever queued a lot of work first', () => {
  const queue = createFairQueue<string>(() => 10)
  for (const key of ['a1', 'a2', 'a3']) queue.add(queued(key, 'k', 'ana'))
  for (const key of ['b1', 'b2']) queue.add(queued(key, 'k', 'bo'))
  expect([1, 2, 3, 4, 5].map(() => queue.next()?.key)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  expect(queue.next()).toBeUndefined()
})

test('a kind at its limit delays no other kind, and continues when a slot is free', () => {
  const queue = createFairQueue<string>((kind) => (kind === 'slow' ? 1 : 5))
  const first = queued('s1', 'slow')
  for (const one of [first, queued('s2', 'slow'), queued('q1', 'quick')]) queue.add(one)
  expect(queue.next()?.key).toBe('s1')
  expect(queue.next()?.key).toBe('q1')
  expect(queue.next()).toBeUndefined()
  expect(queue.has('s2')).toBe(true)
  queue.release(first)
  expect(queue.next()?.key).toBe('s2')
  expect(queue.has('s2')).toBe(false)
})
