import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Perform } from '../performer.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { counter, go, START, type Counter } from './counter-kind.suite.ts'
import { begin, run, send, startNode, testStore, type NodeSetup, type TestStore } from './with-runs.suite.ts'

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
const node = ({ ledger }: Required<Pick<NodeSetup, 'ledger'>>) =>
  startNode({ store, kinds: [counter], performers: { safe: perform, early: perform }, clock: () => 1_000, ledger })
const rowOf = async () => (await store.row('runs', RUN))?.row
const state = async () => (await rowOf())?.state as Counter

describe('a driven run', () => {
  test('starts a guarded effect while its mark is being stored, and the others after that', async () => {
    await begin(store, counter, RUN, START, go('safe', 'early'))
    const stored = Promise.withResolvers<void>()
    const ledger = {
      async commit(changes: Parameters<typeof store.commit>[0]) {
        await stored.promise
        return store.commit(changes)
      },
    }
    const driven = node({ ledger }).driver.drive(RUN)
    await until(() => performed.length > 0)
    expect(performed).toEqual(['early e2'])
    stored.resolve()
    expect(await driven).toBe('parked')
    expect(performed).toEqual(['early e2', 'safe e1'])
    expect(await state()).toMatchObject({ asked: 2, done: 2, unknown: 0 })
  })

  test('takes the result of a guarded effect whose mark was lost at first', async () => {
    await begin(store, counter, RUN, START, go('early'))
    let commits = 0
    const ledger = {
      async commit(changes: Parameters<typeof store.commit>[0]) {
        commits += 1
        return commits === 1 ? { lost: 0 } : store.commit(changes)
      },
    }
    expect(await node({ ledger }).driver.drive(RUN)).toBe('parked')
    expect(new Set(performed)).toEqual(new Set(['early e1']))
    expect(await state()).toMatchObject({ asked: 1, done: 1, unknown: 0 })
    expect(await rowOf()).toMatchObject({ status: 'waiting', executing: [] })
  })

  test('does not wait for the flush of a step that only marks guarded effects', async () => {
    const later: boolean[] = []
    const ledger = {
      commit(changes: Parameters<typeof store.commit>[0]) {
        later.push(changes.at(-1)?.kind === 'sync_later')
        return store.commit(changes)
      },
    }
    await begin(store, counter, RUN, START, go('early'))
    await node({ ledger }).driver.drive(RUN)
    expect(later).toEqual([true, false])
    await send(store, RUN, go('early', 'safe'))
    await node({ ledger }).driver.drive(RUN)
    expect(later.slice(2)).not.toContain(true)
  })

  test('takes the result of a guarded effect if the database crashed and forgot its mark', async () => {
    await begin(store, counter, RUN, START, go('early'))
    let forgotten = 0
    const ledger = {
      async commit(changes: Parameters<typeof store.commit>[0]) {
        if (changes.at(-1)?.kind !== 'sync_later' || forgotten > 0) return store.commit(changes)
        forgotten += 1
        return 'committed' as const
      },
    }
    expect(await node({ ledger }).driver.drive(RUN)).toBe('parked')
    expect(forgotten).toBe(1)
    expect(new Set(performed)).toEqual(new Set(['early e1']))
    expect(await state()).toMatchObject({ asked: 1, done: 1, unknown: 0 })
    expect(await rowOf()).toMatchObject({ status: 'waiting', executing: [] })
  })
})
