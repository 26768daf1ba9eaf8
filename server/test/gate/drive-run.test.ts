import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { driveRun, type DriveDeps, type Performer } from '../../src/commands/runs/drive-run.ts'
import { scheduleRuns } from '../../src/commands/runs/schedule-runs.ts'
import type { RunId } from '../../src/contract/ids.ts'
import type { RunEvent, RunKind, RunRow } from '../../src/contract/run.ts'
import { openSqliteLedger, type SqliteStore } from '../../src/stores/sqlite/open-sqlite-ledger.ts'
import { until } from './with-gate.ts'

/** A run that does one effect for every `go`, counts the results, and is done at `end`. */
type Counter = { readonly asked: number; readonly done: number; readonly unknown: number; readonly rang: number }
const counter: RunKind<Counter> = {
  kind: 'counter',
  step(state, event) {
    switch (event.type) {
      case 'go': {
        const asked = state.asked + 1
        return {
          state: { ...state, asked },
          effects: [{ key: `e${asked}`, kind: event['effect'] === 'safe' ? 'safe' : 'unsafe', with: {} }],
        }
      }
      case 'wait':
        return { state, effects: [], timers: [Number(event['at'])] }
      case 'timer':
        return { state: { ...state, rang: state.rang + 1 }, effects: [] }
      case 'effect.done':
        return { state: { ...state, done: state.done + 1 }, effects: [] }
      case 'effect.unknown':
        return { state: { ...state, unknown: state.unknown + 1 }, effects: [] }
      default:
        return { state, effects: [], done: event.type === 'end' }
    }
  },
}

const RUN: RunId = 'run_0000000000000001'
const row: RunRow = {
  v: 1,
  run_id: RUN,
  kind: 'counter',
  status: 'active',
  state: { asked: 0, done: 0, unknown: 0, rang: 0 },
  cursor: 0,
  executing: [],
  created_at: 0,
}

let folder = ''
let store: SqliteStore
let now = 1000
let performed: string[] = []
let interfere: (() => Promise<void>) | undefined
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-drive-'))
  const opened = await openSqliteLedger({ file: join(folder, 'l.sqlite'), stream: 'main', onFault: () => {} })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  store = opened.value
  now = 1000
  performed = []
  interfere = undefined
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const performer = (name: string, idempotent: boolean): Performer => ({
  idempotent,
  async perform({ key }) {
    performed.push(`${name} ${key}`)
    await interfere?.()
    return { type: 'effect.done' }
  },
})
const deps = (): DriveDeps => ({
  kinds: new Map([['counter', counter as unknown as RunKind]]),
  performers: new Map([
    ['safe', performer('safe', true)],
    ['unsafe', performer('unsafe', false)],
  ]),
  ledger: store,
  shelves: store,
  journal: store,
  clock: () => now,
  probe: () => {},
})
const begin = (...events: readonly RunEvent[]) =>
  store.commit([
    { kind: 'swap', table: 'runs', id: RUN, from: 'absent', to: row },
    ...events.map((event) => ({ kind: 'event', run: RUN, event }) as const),
    { kind: 'wake', run: RUN },
  ])
const send = (event: RunEvent) =>
  store.commit([
    { kind: 'event', run: RUN, event },
    { kind: 'wake', run: RUN },
  ])
const state = async () => (await store.row('runs', RUN))?.row.state
const go = (effect: string): RunEvent => ({ type: 'go', effect })

describe('driving a run', () => {
  test('takes every event in order, carries out each effect once, and parks', async () => {
    await begin(go('safe'), go('unsafe'), go('safe'))
    expect(await driveRun(deps(), RUN)).toBe('parked')
    expect(performed).toEqual(['safe e1', 'unsafe e2', 'safe e3'])
    expect(await state()).toEqual({ asked: 3, done: 3, unknown: 0, rang: 0 })
    expect(await store.due(now, 10)).toEqual([])
  })

  test('by two drivers at once lets each step through once', async () => {
    await begin(go('safe'), go('safe'))
    await Promise.all([driveRun(deps(), RUN), driveRun(deps(), RUN), driveRun(deps(), RUN)])
    expect(await state()).toEqual({ asked: 2, done: 2, unknown: 0, rang: 0 })
    await send({ type: 'end' })
    expect(await driveRun(deps(), RUN)).toBe('done')
    expect(await store.due(now, 10)).toEqual([])
  })

  test('after a crash in an effect starts an idempotent one again and gives up any other as unknown', async () => {
    for (const kind of ['safe', 'unsafe']) {
      const run_id: RunId = kind === 'safe' ? 'run_000000000000000a' : 'run_000000000000000b'
      const executing = [{ key: 'e1', kind, with: {} }]
      const marked: RunRow = { ...row, run_id, state: { asked: 1, done: 0, unknown: 0, rang: 0 }, executing }
      await store.commit([
        { kind: 'swap', table: 'runs', id: run_id, from: 'absent', to: marked },
        { kind: 'wake', run: run_id },
      ])
      await driveRun(deps(), run_id)
      expect((await store.row('runs', run_id))?.row.state).toMatchObject(
        kind === 'safe' ? { done: 1, unknown: 0 } : { done: 0, unknown: 1 },
      )
    }
    expect(performed).toEqual(['safe e1'])
  })

  test('reads what arrives while an effect runs before it parks', async () => {
    await begin(go('safe'))
    interfere = async () => {
      interfere = undefined
      await send(go('safe'))
    }
    await driveRun(deps(), RUN)
    expect(performed).toEqual(['safe e1', 'safe e2'])
  })

  test('an effect that is put off stays marked and is carried out by the next drive', async () => {
    await begin(go('safe'))
    const busy: Performer = { idempotent: true, perform: async () => 'later' }
    expect(await driveRun({ ...deps(), performers: new Map([['safe', busy]]) }, RUN)).toBe('later')
    expect((await store.row('runs', RUN))?.row.executing).toHaveLength(1)
    expect(await store.due(now, 10)).toEqual([RUN])
    await driveRun(deps(), RUN)
    expect(await state()).toMatchObject({ done: 1 })
  })

  test('a timer wakes it at its time and enters the journal', async () => {
    await begin({ type: 'wait', at: 5000 })
    await driveRun(deps(), RUN)
    expect(await store.due(4999, 10)).toEqual([])
    expect(await store.nextDue(now)).toBe(5000)
    now = 5000
    expect(await store.due(now, 10)).toEqual([RUN])
    await driveRun(deps(), RUN)
    expect(await state()).toMatchObject({ rang: 1 })
    expect((await store.events(RUN, 0, 10)).map(({ event }) => event.type)).toEqual(['wait', 'timer'])
    expect(await store.due(now, 10)).toEqual([])
  })

  test('the journal replays to the same state', async () => {
    await begin(go('safe'), go('unsafe'))
    await driveRun(deps(), RUN)
    const journal = await store.events(RUN, 0, 100)
    let replayed = row.state as Counter
    for (const { event } of journal) replayed = counter.step(replayed, event).state
    expect(replayed).toEqual(await state())
  })
})

describe('the scheduler', () => {
  const timers = (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  }

  test('drives a run directly after the commit that wakes it, and never twice at once', async () => {
    let underWay = 0
    let most = 0
    const scheduler = scheduleRuns({
      journal: store,
      clock: () => now,
      after: timers,
      onFault: () => {},
      async drive(run) {
        most = Math.max(most, ++underWay)
        const driven = await driveRun(deps(), run)
        underWay -= 1
        return driven
      },
    })
    await begin(go('safe'))
    await Promise.all(Array.from({ length: 20 }, () => send(go('safe'))))
    await until(async () => ((await state()) as Counter).done === 21)
    await scheduler.stop()
    expect(most).toBe(1)
    expect(new Set(performed).size).toBe(21)
  })

  test('at its first sweep drives what an earlier process left, and later what falls due', async () => {
    await begin(go('safe'), { type: 'wait', at: 1200 })
    const start = Date.now()
    const scheduler = scheduleRuns({
      journal: store,
      clock: () => 1000 + (Date.now() - start),
      after: timers,
      onFault: () => {},
      drive: (run) => driveRun({ ...deps(), clock: () => 1000 + (Date.now() - start) }, run),
    })
    await scheduler.sweep()
    await until(() => performed.length === 1)
    await until(async () => ((await state()) as Counter).rang === 1)
    await scheduler.stop()
  })

  test('a run that fails is told of and tried again', async () => {
    await begin(go('safe'))
    const faults: unknown[] = []
    let tries = 0
    const scheduler = scheduleRuns({
      journal: store,
      clock: () => now,
      after: (_, callback) => timers(1, callback),
      onFault: (_, error) => void faults.push(error),
      async drive(run) {
        tries += 1
        if (tries < 3) throw new Error('not yet')
        return driveRun(deps(), run)
      },
    })
    await scheduler.sweep()
    await until(async () => ((await state()) as Counter).done === 1)
    await scheduler.stop()
    expect(faults.length).toBeGreaterThanOrEqual(2)
  })
})
