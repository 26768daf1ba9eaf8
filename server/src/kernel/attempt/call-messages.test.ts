import { expect, test } from 'vitest'
import { holdBack } from './call-messages.ts'

function setUp() {
  const received: unknown[] = []
  const durable = Promise.withResolvers<boolean>()
  let asked = 0
  const held = holdBack(
    { onLog: (line) => received.push(line['data']), onProgress: ({ progress }) => received.push(progress) },
    () => {
      asked += 1
      return durable.promise
    },
  )
  return { received, durable, held, asked: () => asked }
}

test('messages wait, in order, until the record is durable, and are then passed on at once', async () => {
  const { received, durable, held, asked } = setUp()
  expect(asked()).toBe(0)
  held.listeners.onLog?.({ data: 'a' })
  held.listeners.onProgress?.({ progress: 1 })
  expect([received, asked()]).toEqual([[], 1])
  durable.resolve(true)
  await durable.promise
  await Promise.resolve()
  expect(received).toEqual(['a', 1])
  held.listeners.onLog?.({ data: 'b' })
  expect([received, asked()]).toEqual([['a', 1, 'b'], 1])
})

test('the durable outcome releases them, one that is not durable drops them', async () => {
  const { received, durable, held } = setUp()
  held.listeners.onLog?.({ data: 'a' })
  held.release()
  expect(received).toEqual(['a'])
  durable.resolve(true)
  await durable.promise
  expect(received).toEqual(['a'])

  const other = setUp()
  other.held.listeners.onLog?.({ data: 'a' })
  other.held.drop()
  other.durable.resolve(true)
  await other.durable.promise
  await Promise.resolve()
  expect(other.received).toEqual([])
})

test('nothing is passed on if the record cannot be made durable', async () => {
  const { received, durable, held, asked } = setUp()
  held.listeners.onLog?.({ data: 'a' })
  durable.resolve(false)
  await durable.promise
  await Promise.resolve()
  held.listeners.onLog?.({ data: 'b' })
  expect([received, asked()]).toEqual([[], 1])
})
