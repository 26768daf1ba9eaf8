import { describe, expect, test } from 'vitest'
import { checkpointsOf, draft, memoryAudit } from './test/memory-audit.suite.ts'
import { isCheckpointDue } from './checkpoint.ts'
import { keepCheckpoints } from './keep-checkpoints.ts'

const policy = { every_entries: 3, every_ms: 1000 }

function setUp() {
  const memory = memoryAudit()
  const time = { now: 10_000 }
  const deps = { ...memory, clock: () => time.now }
  return { memory, time, deps, keeper: keepCheckpoints(deps, policy) }
}

describe('the checkpoint writer', () => {
  test('signs after the configured number of entries or time, and not before', async () => {
    const { memory, time, keeper } = setUp()
    const signed = async () => (await keeper.tick(), checkpointsOf(memory).length)
    expect(await signed()).toBe(0)
    memory.append('a', draft(1))
    expect(await signed()).toBe(1)
    memory.append('a', draft(2))
    memory.append('b', draft(3))
    expect(await signed()).toBe(1)
    memory.append('a', draft(4))
    expect(await signed()).toBe(2)
    time.now += 5000
    expect(await signed()).toBe(2)
    memory.append('a', draft(5))
    expect(await signed()).toBe(3)
    time.now += 999
    memory.append('a', draft(6))
    expect(await signed()).toBe(3)
    time.now += 1
    expect(await signed()).toBe(4)
  })

  test('signs what is left when it closes, and nothing after', async () => {
    const { memory, keeper } = setUp()
    memory.append('a', draft(1))
    await keeper.tick()
    memory.append('a', draft(2))
    expect(await keeper.close()).toMatchObject({ ok: true, value: { body: { number: 2, count: 2 } } })
    for (let at = 3; at < 9; at += 1) memory.append('a', draft(at))
    expect(await keeper.tick()).toEqual({ ok: true, value: 'nothing_new' })
    expect(checkpointsOf(memory)).toHaveLength(2)
  })

  test('joins overlapping calls, and continues after one that failed', async () => {
    const { memory, deps } = setUp()
    memory.append('a', draft(1))
    let broken = true
    const heads = async () => {
      if (broken) throw new Error('disk')
      return memory.audit.heads()
    }
    const keeper = keepCheckpoints({ ...deps, audit: { ...memory.audit, heads } }, policy)
    const [one, two] = [keeper.tick(), keeper.tick()]
    expect(one).toBe(two)
    await expect(one).rejects.toThrow('disk')
    broken = false
    expect(await keeper.tick()).toMatchObject({ value: { body: { number: 1 } } })
  })
})

test('signs immediately if the clock went back, instead of waiting for years', () => {
  const newest = {
    body: { v: 1 as const, number: 1, at: 5000, count: 1, prev: '', streams: [] },
    key: '',
    signature: '',
  }
  expect(isCheckpointDue(policy, newest, 2, 4001)).toBe(false)
  expect(isCheckpointDue(policy, newest, 2, 4000)).toBe(true)
})
