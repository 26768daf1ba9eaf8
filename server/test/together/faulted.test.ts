import { afterEach, beforeEach, expect, test } from 'vitest'
import { randomIds } from '../../src/main/random-ids.ts'
import { readingsOf } from '../../src/guests/telemetry/open-metrics.ts'
import { listRuns } from '../../src/kernel/runs/read-run.ts'
import { resumeRun } from '../../src/kernel/runs/resume-run.ts'
import type { Perform } from '../../src/kernel/runs/performer.ts'
import { ADMIN, APPROVER, until } from '../helpers/with-gate.ts'
import { counter, go, START, type Counter } from '../../src/kernel/runs/test/counter-kind.suite.ts'
import { begin, run, send, startNode, testStore, type TestStore } from '../../src/kernel/runs/test/with-runs.suite.ts'

const RUN = run(1)
let store: TestStore
let now = 1_000
beforeEach(async () => {
  store = await testStore()
  now = 1_000
})
afterEach(() => store.remove())

const rowNow = async () => (await store.row('runs', RUN))?.row
const faultedNow = async () => (await readingsOf({ tables: store, audit: store, servers: () => [] })()).runs_faulted

/** Drives the run until its performer has failed as often as the driver tries. */
async function fault(): Promise<void> {
  const broken: Perform = async () => {
    throw new Error('the model`s key is wrong')
  }
  const { driver, scheduler } = startNode({
    store,
    kinds: [counter],
    performers: { safe: broken, unsafe: broken },
    clock: () => now,
  })
  await begin(store, counter, RUN, START, go('safe'))
  for (;;) {
    await driver.drive(RUN)
    const row = await rowNow()
    if (row?.status === 'faulted') return scheduler.stop()
    now = row?.fault?.retry_at ?? now
  }
}

test('a faulted run is counted and listed with its reason; an admin resumes it, and it continues where it stopped', async () => {
  await fault()
  expect(await faultedNow()).toEqual([{ value: 1 }])
  const listed = await listRuns({ tables: store, kinds: new Map() }, ADMIN, { status: 'faulted' }, { limit: 10 })
  expect(listed.items).toMatchObject([{ run_id: RUN, fault: { count: 5, says: 'the model`s key is wrong' } }])
  // Events that arrive meanwhile wait and wake nothing.
  await send(store, RUN, { type: 'other' })
  const performed: string[] = []
  const work: Perform = async ({ key }) => {
    performed.push(key)
    return { type: 'effect.done' }
  }
  const { scheduler } = startNode({
    store,
    kinds: [counter],
    performers: { safe: work, unsafe: work },
    clock: () => now,
  })
  await scheduler.recover()
  await scheduler.idle()
  expect([performed, (await rowNow())?.status]).toEqual([[], 'faulted'])
  const deps = { tables: store, kinds: new Map(), ledger: store, clock: () => now, ids: randomIds }
  expect(await resumeRun(deps, APPROVER, RUN)).toMatchObject({ problem: { code: 'auth.forbidden' } })
  expect(await resumeRun(deps, ADMIN, RUN)).toMatchObject({ ok: true, value: { run_id: RUN } })
  await until(async () => ((await rowNow())?.state as Counter | undefined)?.done === 1)
  expect([performed, (await rowNow())?.state]).toMatchObject([
    ['e1'],
    { done: 1, received: ['go', 'other', 'effect.done'] },
  ])
  await send(store, RUN, { type: 'end' })
  await until(async () => (await rowNow())?.status === 'done')
  await scheduler.idle()
  expect(await rowNow()).toMatchObject({ status: 'done', executing: [], result: 'over' })
  expect((await rowNow())?.fault).toBeUndefined()
  expect(await faultedNow()).toEqual([{ value: 0 }])
  expect(await resumeRun(deps, ADMIN, RUN)).toMatchObject({ problem: { code: 'run.not_faulted' } })
  const entries = await store.entries('main', 1, 100)
  expect(entries.filter(({ type }) => type === 'run.resumed')).toMatchObject([{ about: { faults: 5 } }])
  await scheduler.stop()
})

test('a resumed run that fails again gets the full number of attempts again, and reports it if the resumption could not be recorded', async () => {
  await fault()
  const deps = { tables: store, kinds: new Map(), clock: () => now, ids: randomIds }
  for (const [word, code] of [
    ['unavailable', 'audit.unavailable'],
    [{ in_doubt: 'x' }, 'audit.in_doubt'],
  ] as const) {
    const ledger = { commit: async () => word }
    expect(await resumeRun({ ...deps, ledger }, ADMIN, RUN)).toMatchObject({ problem: { code } })
  }
  expect(await resumeRun({ ...deps, ledger: store }, ADMIN, RUN)).toMatchObject({ ok: true })
  const broken: Perform = async () => {
    throw new Error('still wrong')
  }
  const { driver } = startNode({ store, kinds: [counter], performers: { safe: broken }, clock: () => now })
  await driver.drive(RUN)
  expect((await rowNow())?.fault).toMatchObject({ count: 1, says: 'still wrong' })
})
