import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Perform } from '../performer.ts'
import type { RunId } from '../../contract/ids.ts'
import type { RunRow } from '../../contract/run.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { counter, go, START, type Counter } from './counter-kind.suite.ts'
import {
  begin,
  gatedPerform,
  run,
  send,
  startNode,
  testStore,
  type NodeSetup,
  type TestStore,
} from './with-runs.suite.ts'

const RUN = run(1)
let store: TestStore
let performed: string[] = []
beforeEach(async () => {
  store = await testStore()
  performed = []
})
afterEach(() => store.remove())

const perform: Perform = async ({ kind, key }) => {
  performed.push(`${kind} ${key}`)
  return { type: 'effect.done' }
}
const node = (more: Partial<NodeSetup> = {}) =>
  startNode({ store, kinds: [counter], performers: { safe: perform, unsafe: perform }, ...more })
const rowOf = async (id: RunId = RUN): Promise<RunRow | undefined> => (await store.row('runs', id))?.row
const state = async (id: RunId = RUN) => (await rowOf(id))?.state as Counter

describe('the scheduler', () => {
  test('drives a run directly after the commit that wakes it, and never twice at once', async () => {
    const { scheduler } = node()
    await begin(store, counter, RUN, START, go('safe'))
    await Promise.all(Array.from({ length: 20 }, () => send(store, RUN, go('safe'))))
    await until(async () => (await state()).done === 21)
    await scheduler.stop()
    expect(new Set(performed).size).toBe(21)
    expect(performed).toHaveLength(21)
  })

  test('at its start drives the runs of an earlier process, and later those that become due', async () => {
    await begin(store, counter, RUN, START, go('safe'), { type: 'wait', timers: { tea: 1_100 } })
    const start = Date.now()
    const { scheduler } = node({ clock: () => 1_000 + Date.now() - start })
    await scheduler.recover()
    await until(() => performed.length === 1)
    await until(async () => (await state()).rang.length === 1)
    await scheduler.stop()
  })

  test('a hundred runs with slow effects do not delay another one', async () => {
    const { slow } = gatedPerform(performed)
    for (let at = 10; at < 110; at += 1) await begin(store, counter, run(at), START, go('unsafe'))
    await begin(store, counter, RUN, START, go('safe'))
    const { scheduler } = node({ performers: { unsafe: slow, safe: perform } })
    await scheduler.recover()
    await until(async () => (await state()).done === 1)
    for (let at = 10; at < 110; at += 1) await send(store, run(at), { type: 'end' })
    await until(async () => (await store.count('runs', { status: 'done' })) === 100)
    await scheduler.stop()
  })

  test('respects the limit of a kind', async () => {
    const gates: (() => void)[] = []
    let most = 0
    let underWay = 0
    const counted: Perform = async () => {
      most = Math.max(most, ++underWay)
      await new Promise<void>((resolve) => gates.push(resolve))
      underWay -= 1
      return { type: 'effect.done' }
    }
    const runs = [10, 11, 12, 13, 14, 15].map(run)
    for (const id of runs) await begin(store, counter, id, START, go('safe'))
    const { scheduler } = node({ performers: { safe: counted }, limitOf: () => 2 })
    await scheduler.recover()
    for (let turn = 0; turn < runs.length; turn += 1) {
      await until(() => gates.length > turn)
      gates[turn]?.()
    }
    await until(async () => (await store.count('runs', { status: 'active' })) === 0)
    await scheduler.stop()
    expect([most, gates.length]).toEqual([2, 6])
  })

  test('that stops keeps the results of effects in progress for the next process, and starts nothing more', async () => {
    const { slow, open } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('unsafe'), go('unsafe'))
    const first = node({ performers: { unsafe: slow } })
    await first.scheduler.recover()
    await until(() => performed.length === 2)
    const stopped = first.scheduler.stop()
    open('e1')
    open('e2')
    await stopped
    expect(await rowOf()).toMatchObject({ executing: [], status: 'waiting' })
    const second = node({ boot: 'boot-b' })
    await second.scheduler.recover()
    await until(async () => (await state()).done === 2)
    await second.scheduler.stop()
    expect(performed).toEqual(['unsafe e1', 'unsafe e2'])
  })
})
