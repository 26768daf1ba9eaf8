import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('requests during a read cause exactly one more read, which starts after it', async () => {
  let running = 0
  let atOnce = 0
  let reads = 0
  const read = oneAtATime(async () => {
    atOnce = Math.max(atOnce, ++running)
    reads += 1
    await new Promise((later) => setImmediate(later))
    running -= 1
  })
  await Promise.all([read(), read(), read()])
  expect({ reads, atOnce }).toEqual({ reads: 2, atOnce: 1 })
  await read()
  expect(reads).toBe(3)
})

test('after a failed read the next request reads again', async () => {
  let reads = 0
  const read = oneAtATime(async () => {
    reads += 1
    if (reads === 1) throw new Error('no answer')
  })
  await expect(read()).rejects.toThrow('no answer')
  await read()
  expect(reads).toBe(2)
})
