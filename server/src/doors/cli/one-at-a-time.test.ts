import { expect, test } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('however often it is asked for meanwhile, one look follows the one under way, and never beside it', async () => {
  let now = 0
  let together = 0
  let looks = 0
  const look = oneAtATime(async () => {
    together = Math.max(together, ++now)
    looks += 1
    await new Promise((later) => setImmediate(later))
    now -= 1
  })
  await Promise.all([look(), look(), look()])
  expect({ looks, together }).toEqual({ looks: 2, together: 1 })
  await look()
  expect(looks).toBe(3)
})

test('a look that failed does not end the looking', async () => {
  let looks = 0
  const look = oneAtATime(async () => {
    looks += 1
    if (looks === 1) throw new Error('no answer')
  })
  await expect(look()).rejects.toThrow('no answer')
  await look()
  expect(looks).toBe(2)
})
