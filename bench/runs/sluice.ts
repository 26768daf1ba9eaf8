import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { driveRuns } from '../../server/src/main/drive-gate.ts'
import { randomIds } from '../../server/src/main/random-ids.ts'
import { returnedUnits } from '../../server/src/kernel/approvals/pending-limits.ts'
import { withCompanions } from '../../server/src/kernel/changes/companions.ts'
import { announceCommits } from '../../server/src/kernel/changes/watch-rows.ts'
import type { Change, Ledger } from '../../server/src/kernel/ports/ledger.ts'
import { endDays } from '../../server/src/kernel/retention/end-days.ts'
import type { Perform } from '../../server/src/kernel/runs/performer.ts'
import { newRunChanges } from '../../server/src/kernel/runs/run-changes.ts'
import type { Scheduler } from '../../server/src/kernel/runs/schedule-runs.ts'
import { createRunOutput } from '../../server/src/kernel/runs/run-output.ts'
import { runEvents } from '../../server/src/kernel/runs/run-events.ts'
import type { RunId } from '../../server/src/kernel/contract/ids.ts'
import {
  isEndedRun,
  type RunEvent,
  type RunKind,
  type RunRow,
  type Step,
} from '../../server/src/kernel/contract/run.ts'
import { beginRun } from '../../server/src/kernel/runs/begin-run.ts'
import { localMembers } from '../../server/src/adapters/stores/local-notices.ts'
import { openSqliteLedger, type SqliteStore } from '../../server/src/adapters/stores/sqlite/open-sqlite-ledger.ts'
import {
  openPostgresLedger,
  type PostgresLedger,
} from '../../server/src/adapters/stores/postgres/open-postgres-ledger.ts'
import { databaseUrl } from './postgres-systems.ts'
import { doStep, STEPS, type RunSystem } from './system.ts'

/** Asks for one effect after the other. A parked one waits for the signal `go`. */
export const tenSteps: RunKind = {
  kind: 'ten_steps',
  effects: { work: 'once' },
  step(state, event): Step {
    const done = event.type === 'effect.done' ? Number(event['done']) : Number(state)
    if (done === STEPS) return { state: done, effects: [], ends: 'done', result: done }
    return { state: done, effects: [{ key: `step${done + 1}`, kind: 'work', with: { done } }] }
  },
}

type HeardLedger = Ledger & { onCommit(listener: (changes: readonly Change[]) => void): void }

function hearingCommits(ledger: Ledger): HeardLedger {
  const listeners = new Set<(changes: readonly Change[]) => void>()
  return {
    async commit(changes) {
      const committed = await ledger.commit(changes)
      if (committed === 'committed') for (const listener of listeners) listener(changes)
      return committed
    },
    onCommit: (listener) => void listeners.add(listener),
  }
}

type RunStore = SqliteStore | PostgresLedger

export type RunProcess<Store extends RunStore = SqliteStore> = {
  readonly store: Store
  readonly ledger: HeardLedger
  readonly scheduler: Scheduler
  close(): Promise<void>
}

/** Store, driver and scheduler as the gate wires them, for runs of ten steps. */
export async function openRunProcess(folder: string, onStep: (run: RunId) => void = () => {}): Promise<RunProcess> {
  const opened = await openSqliteLedger({
    file: join(folder, 'ledger.sqlite'),
    stream: 'main',
    rows: { key: '5e'.repeat(32), sealed: false },
    alone: true,
    onFault: (error) => console.error(error.message),
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return openDriver(opened.value, onStep)
}

async function openDriver<Store extends RunStore>(
  store: Store,
  onStep: (run: RunId) => void,
): Promise<RunProcess<Store>> {
  const stack = withCompanions(store, [runEvents, returnedUnits, endDays(Date.now)])
  const ledger = hearingCommits(
    announceCommits(stack, { notices: localMembers().join(), kinds: new Map(), tableEntries: [] }),
  )
  const boot = randomIds.trace()
  const world = {
    ledger,
    tables: store,
    journal: store,
    doubts: { known: (id: string) => store.resultOf(id) },
    shown: createRunOutput(),
    liveness: { isAlive: async (other: string) => other === boot },
    boot,
    clock: Date.now,
    probe: () => {},
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  }
  const work: Perform = async (effect, { run_id }) => {
    onStep(run_id)
    return { type: 'effect.done', done: doStep(Number(effect.with['done'])) }
  }
  const kinds = new Map([[tenSteps.kind, tenSteps]])
  const log = (_: string, says: string, about?: object) => console.error(says, about)
  const scheduler = driveRuns(world, kinds, new Map([['work', work]]), log)
  await scheduler.recover()
  return {
    store,
    ledger,
    scheduler,
    async close() {
      await scheduler.stop()
      await store.close()
    },
  }
}

export const GO: RunEvent = { type: 'go' }

export const newRun = (run_id: RunId): RunRow => beginRun(tenSteps, run_id, { state: 0 }, Date.now())

/** Resolves with the commit that ends the run. */
export function endsOf(ledger: HeardLedger): (run: RunId) => Promise<RunRow> {
  const waiting = new Map<string, (row: RunRow) => void>()
  ledger.onCommit((changes) => {
    for (const change of changes)
      if (change.kind === 'swap' && change.table === 'runs' && isEndedRun(change.to)) {
        waiting.get(change.id)?.(change.to)
        waiting.delete(change.id)
      }
  })
  return (run) => new Promise((resolve) => waiting.set(run, resolve))
}

/** The same on Postgres, by a connection that waits for every flush. */
export async function openSluicePostgres(): Promise<RunSystem> {
  const address = { url: databaseUrl(), schema: `s_${randomBytes(6).toString('hex')}` }
  const opened = await openPostgresLedger({
    address,
    stream: 'main',
    boot: '',
    key: '5e'.repeat(32),
    alone: true,
    onFault: (error) => console.error(error.message),
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  const { ledger, close } = await openDriver(opened.value, () => {})
  return system('postgres, synchronous_commit=on', ledger, close)
}

export async function openSluice(): Promise<RunSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-runs-'))
  const { ledger, close } = await openRunProcess(folder)
  return system('sqlite FULL', ledger, async () => {
    await close()
    rmSync(folder, { recursive: true })
  })
}

function system(store: string, ledger: HeardLedger, close: () => Promise<void>): RunSystem {
  const endOf = endsOf(ledger)
  return {
    store,
    async run() {
      const run_id = randomIds.run()
      const ended = endOf(run_id)
      const committed = await ledger.commit(newRunChanges(newRun(run_id), GO))
      if (committed !== 'committed') throw new Error('a run could not be stored')
      return Number((await ended).result)
    },
    close,
  }
}
