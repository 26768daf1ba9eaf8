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
let now = 1_000
let performed: string[] = []
beforeEach(async () => {
  store = await testStore()
  now = 1_000
  performed = []
})
afterEach(() => store.remove())

const perform: Perform = async ({ kind, key }) => {
  performed.push(`${kind} ${key}`)
  return { type: 'effect.done' }
}
const node = (more: Partial<NodeSetup> = {}) =>
  startNode({
    store,
    kinds: [counter],
    performers: { safe: perform, unsafe: perform, early: perform },
    clock: () => now,
    ...more,
  })
const rowOf = async (id: RunId = RUN): Promise<RunRow> => {
  const held = await store.row('runs', id)
  if (held === undefined) throw new Error(`${id} is absent`)
  return held.row
}
const state = async (id: RunId = RUN) => (await rowOf(id)).state as Counter
const due = async () => (await store.due(now, 10)).map((wake) => wake.run)
describe('a driven run', () => {
  test('processes every event in order, performs each effect once, and parks', async () => {
    await begin(store, counter, RUN, START, go('safe'), go('unsafe'), go('safe'))
    expect(await node().driver.drive(RUN)).toBe('parked')
    expect(performed.toSorted()).toEqual(['safe e1', 'safe e3', 'unsafe e2'])
    expect(await state()).toMatchObject({ asked: 3, done: 3, unknown: 0 })
    expect(await rowOf()).toMatchObject({ status: 'waiting', executing: [], cursor: 6 })
    expect(await due()).toEqual([])
  })

  test('performs the effects of one step in parallel', async () => {
    const { slow, open } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('safe', 'unsafe'))
    const driven = node({ performers: { safe: slow, unsafe: slow } }).driver.drive(RUN)
    await until(() => performed.length === 2)
    open('e2')
    await until(async () => (await state()).done === 1)
    expect((await rowOf()).executing.map(({ key }) => key)).toEqual(['e1'])
    open('e1')
    expect(await driven).toBe('parked')
  })

  test('needs one commit for a result, the next step and the marks of its effects', async () => {
    const commits: number[] = []
    const ledger = {
      commit: (changes: Parameters<typeof store.commit>[0]) => (commits.push(changes.length), store.commit(changes)),
    }
    await begin(store, counter, RUN, START, go('safe'))
    await node({ ledger }).driver.drive(RUN)
    // The step that marks the effect, and the step with its result: nothing else.
    expect(commits).toHaveLength(2)
  })

  test('processes events immediately while an effect is in progress', async () => {
    const { slow, open } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('safe'))
    const { driver } = node({ performers: { safe: slow } })
    const driven = driver.drive(RUN)
    await until(() => performed.length === 1)
    await send(store, RUN, go('safe'))
    driver.poke(RUN)
    await until(() => performed.length === 2)
    open('e1')
    open('e2')
    await driven
    expect(await state()).toMatchObject({ done: 2 })
  })

  test('cancels an effect that is no longer needed, and gets its end', async () => {
    const { slow } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('unsafe'))
    const { driver } = node({ performers: { unsafe: slow } })
    const driven = driver.drive(RUN)
    await until(() => performed.length === 1)
    await send(store, RUN, { type: 'stop', keys: ['e1'] })
    driver.poke(RUN)
    expect(await driven).toBe('parked')
    expect(await state()).toMatchObject({ cancelled: 1, done: 0 })
  })

  test('starts an effect cancelled if the step that began it no longer needs it', async () => {
    const started: boolean[] = []
    const noting: Perform = async (_effect, { signal }) => {
      started.push(signal.aborted)
      return signal.aborted ? { type: 'effect.cancelled' } : { type: 'effect.done' }
    }
    await begin(store, counter, RUN, START, go('safe', 'early', 'safe'), { type: 'stop', keys: ['e1', 'e2'] })
    expect(await node({ performers: { safe: noting, early: noting } }).driver.drive(RUN)).toBe('parked')
    expect(started.map(String).toSorted()).toEqual(['false', 'true', 'true'])
    expect(await state()).toMatchObject({ cancelled: 2, done: 1 })
    expect(await rowOf()).not.toHaveProperty('cancelling')
  })

  test('that ends while an effect is running aborts it, keeps its result and gets no more events', async () => {
    const { slow } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('safe'))
    const { driver } = node({ performers: { safe: slow } })
    const driven = driver.drive(RUN)
    await until(() => performed.length === 1)
    await send(store, RUN, { type: 'end' })
    driver.poke(RUN)
    expect(await driven).toBe('ended')
    expect(await rowOf()).toMatchObject({ status: 'done', result: 'over', executing: [] })
    await send(store, RUN, go('safe'))
    expect(await driver.drive(RUN)).toBe('ended')
    expect(performed).toHaveLength(1)
    expect(await due()).toEqual([])
  })

  test('a postponed effect stays marked and is retried', async () => {
    let tries = 0
    const busy: Perform = async () => (++tries < 3 ? 'later' : { type: 'effect.done' })
    await begin(store, counter, RUN, START, go('safe'))
    expect(
      await node({
        performers: { safe: busy },
        after: (_, callback) => (setTimeout(callback, 1), () => {}),
      }).driver.drive(RUN),
    ).toBe('parked')
    expect([tries, (await state()).done]).toEqual([3, 1])
  })

  test('shows what an effect emits, without writing it to the journal', async () => {
    const shown: unknown[] = []
    const talking: Perform = async (_, { emit }) => {
      emit({ token: 'half' })
      return { type: 'effect.done' }
    }
    await begin(store, counter, RUN, START, go('safe'))
    await node({ performers: { safe: talking }, emit: (...all) => void shown.push(all) }).driver.drive(RUN)
    expect(shown).toEqual([[{ run_id: RUN, owner: undefined }, 'e1', { token: 'half' }]])
    expect(JSON.stringify(await store.events(RUN, 0, 10))).not.toContain('half')
  })

  test('its journal replays to the same state', async () => {
    await begin(store, counter, RUN, START, go('safe', 'unsafe'), { type: 'wait', timers: { a: 900, b: 800 } })
    await node().driver.drive(RUN)
    let replayed: unknown = START
    for (const { event } of await store.events(RUN, 0, 100)) replayed = counter.step(replayed as never, event).state
    expect(replayed).toEqual(await state())
    expect((replayed as Counter).rang).toEqual(['b', 'a'])
  })
})

describe('a timer', () => {
  test('wakes its run at its time and not before', async () => {
    await begin(store, counter, RUN, START, { type: 'wait', timers: { tea: 5_000 } })
    await node().driver.drive(RUN)
    expect(await store.due(4_999, 10)).toEqual([])
    expect(await store.nextDue(now)).toBe(5_000)
    now = 5_000
    await node().driver.drive(RUN)
    expect(await state()).toMatchObject({ rang: ['tea'] })
    expect(await due()).toEqual([])
  })

  test('that is due is not lost if there is also an unread event', async () => {
    await begin(store, counter, RUN, START, { type: 'wait', timers: { tea: 5_000 } })
    await node().driver.drive(RUN)
    now = 6_000
    await send(store, RUN, { type: 'other' })
    await node().driver.drive(RUN)
    expect(await state()).toMatchObject({ rang: ['tea'], received: ['wait', 'other', 'timer'] })
  })

  test('fires while an effect is running', async () => {
    const { slow, open } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('safe'), { type: 'wait', timers: { tea: 1_020 } })
    const start = Date.now()
    const driven = node({ performers: { safe: slow }, clock: () => 1_000 + Date.now() - start }).driver.drive(RUN)
    await until(async () => performed.length === 1 && (await state()).rang.length === 1)
    open('e1')
    await driven
    expect(await state()).toMatchObject({ rang: ['tea'], done: 1 })
  })

  test('that is set again moves, and one that is cleared is gone', async () => {
    await begin(store, counter, RUN, START, { type: 'wait', timers: { tea: 5_000, egg: 5_000 } })
    await node().driver.drive(RUN)
    await send(store, RUN, { type: 'wait', timers: { tea: 8_000, egg: null } })
    await node().driver.drive(RUN)
    now = 6_000
    expect(await due()).toEqual([])
    now = 8_000
    await node().driver.drive(RUN)
    expect(await state()).toMatchObject({ rang: ['tea'] })
  })
})

describe('after a crash', () => {
  async function crashed(kind: string, id: RunId): Promise<void> {
    const row = await begin(store, counter, id, { ...START, asked: 1 })
    const executing = [{ key: 'e1', kind, with: {} }]
    const marked: RunRow = { ...row, status: 'active', driver: 'boot-dead', executing }
    await store.commit([{ kind: 'swap', table: 'runs', id, from: 1, to: marked }])
  }

  test('a repeatable effect is started again, and any other becomes unknown', async () => {
    await crashed('safe', run(10))
    await crashed('unsafe', run(11))
    const { scheduler } = node()
    await scheduler.recover()
    await until(async () => (await state(run(10))).done + (await state(run(11))).unknown === 2)
    await scheduler.stop()
    expect(performed).toEqual(['safe e1'])
    expect(await rowOf(run(11))).toMatchObject({ status: 'waiting', executing: [] })
  })

  test('an effect that was cancelled before the crash is started again cancelled', async () => {
    const { slow } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('safe'))
    const dead = new Set<string>()
    const alive = (boot: string) => !dead.has(boot)
    const never: Perform = (effect) =>
      slow(effect, { run_id: RUN, signal: new AbortController().signal, emit: () => {} })
    const former = node({ boot: 'boot-a', alive, performers: { safe: never } }).driver
    void former.drive(RUN)
    await until(() => performed.length === 1)
    await send(store, RUN, { type: 'stop', keys: ['e1'] })
    former.poke(RUN)
    await until(async () => (await state()).received.includes('stop'))
    dead.add('boot-a')
    const aborted: boolean[] = []
    const noting: Perform = async (_effect, { signal }) => {
      aborted.push(signal.aborted)
      return { type: 'effect.cancelled' }
    }
    expect(await node({ boot: 'boot-b', alive, performers: { safe: noting } }).driver.drive(RUN)).toBe('parked')
    expect(aborted).toEqual([true])
  })

  test('the effects of a boot that is alive are not taken over', async () => {
    await crashed('safe', RUN)
    expect(await node({ alive: () => true }).driver.drive(RUN)).toBe('elsewhere')
    expect(performed).toEqual([])
  })

  test('a driver whose run was taken over performs nothing more and changes nothing', async () => {
    const { slow, open } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('unsafe'))
    const dead = new Set<string>()
    const alive = (boot: string) => !dead.has(boot)
    const former = node({ boot: 'boot-a', alive, performers: { unsafe: slow } }).driver.drive(RUN)
    await until(() => performed.length === 1)
    // Its lease expires at the worst moment: while the effect is running.
    dead.add('boot-a')
    await node({ boot: 'boot-b', alive }).driver.drive(RUN)
    open('e1')
    await former
    expect(performed).toEqual(['unsafe e1'])
    expect(await state()).toMatchObject({ done: 0, unknown: 1 })
  })
})

describe('a fault', () => {
  const quick = (_: number, callback: () => void) => {
    const timer = setTimeout(callback, 1)
    return () => clearTimeout(timer)
  }

  test('is retried with growing delays, then the run is parked with the reason', async () => {
    await begin(store, counter, RUN, START, { type: 'bad' })
    const { driver } = node()
    const pauses: number[] = []
    for (let fault = 1; fault <= 5; fault += 1) {
      expect(await driver.drive(RUN)).toBe('parked')
      const { status, fault: recorded } = await rowOf()
      expect([status, recorded?.count]).toEqual([fault < 5 ? 'waiting' : 'faulted', fault])
      if (recorded?.retry_at === undefined) break
      pauses.push(recorded.retry_at - now)
      // Nothing shortens the delay.
      await send(store, RUN, { type: 'other' })
      await driver.drive(RUN)
      expect((await rowOf()).fault?.count).toBe(fault)
      expect(await due()).toEqual([])
      now = recorded.retry_at
    }
    expect(pauses).toEqual([1_000, 4_000, 16_000, 64_000])
    expect((await rowOf()).fault?.says).toBe('this step cannot be taken')
    expect(await store.due(9e12, 10)).toEqual([])
  })

  test('of a performer faults the run, unless the effect may not be repeated', async () => {
    const broken: Perform = async () => {
      throw new Error('broken')
    }
    await begin(store, counter, RUN, START, go('unsafe'))
    await begin(store, counter, run(2), START, go('safe'))
    const { driver } = node({ performers: { safe: broken, unsafe: broken } })
    await driver.drive(RUN)
    await driver.drive(run(2))
    expect(await state()).toMatchObject({ unknown: 1 })
    expect(await rowOf(run(2))).toMatchObject({ fault: { count: 1, says: 'broken' }, executing: [{ key: 'e1' }] })
    now = 2_000
    await node().driver.drive(run(2))
    expect(await state(run(2))).toMatchObject({ done: 1 })
    expect((await rowOf(run(2))).fault).toBeUndefined()
  })

  test('keeps the results that are known', async () => {
    const { slow, open } = gatedPerform(performed)
    await begin(store, counter, RUN, START, go('unsafe'))
    const { driver } = node({ performers: { unsafe: slow } })
    const driven = driver.drive(RUN)
    await until(() => performed.length === 1)
    await send(store, RUN, { type: 'bad' })
    open('e1')
    driver.poke(RUN)
    await driven
    const types = (await store.events(RUN, 0, 10)).map(({ event }) => event.type)
    expect(types).toEqual(['go', 'bad', 'effect.done'])
    expect((await rowOf()).executing).toEqual([])
  })

  test('of one run does not affect the others', async () => {
    await begin(store, counter, RUN, START, { type: 'bad' })
    await begin(store, counter, run(2), START, go('safe'))
    const { scheduler, faults } = node({ after: quick })
    await scheduler.recover()
    await until(async () => (await state(run(2))).done === 1)
    await scheduler.stop()
    expect(faults.length).toBeGreaterThan(0)
  })

  test('a run of a kind that this release does not know is parked, not retried forever', async () => {
    const other = { ...counter, kind: 'other' }
    await begin(store, other, RUN, START, go('safe'))
    expect(await node().driver.drive(RUN)).toBe('parked')
    expect((await rowOf()).fault?.says).toMatch(/no run kind is called `other`/)
  })
})
