import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRunDriver, type DrivePorts, type RunDriver } from '../drive-run.ts'
import type { Perform, Performers } from '../performer.ts'
import { newRunChanges, addRunEvent } from '../run-changes.ts'
import { scheduleRuns, type Scheduler } from '../schedule-runs.ts'
import type { RunId } from '../../contract/ids.ts'
import type { Json } from '../../contract/json.ts'
import type { RunEffect, RunEvent, RunKind, RunRow } from '../../contract/run.ts'
import { beginRun } from '../begin-run.ts'
import { TEST_ROWS } from '../../../adapters/stores/sqlite/open-store.suite.ts'
import { openSqliteLedger, type SqliteStore } from '../../../adapters/stores/sqlite/open-sqlite-ledger.ts'

export type TestStore = SqliteStore & { remove(): Promise<void> }

/** A separate ledger. The tests do not simulate power failures, so it does not wait for the disk. */
export async function testStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-runs-'))
  const opened = await openSqliteLedger({
    file: join(folder, 'ledger.sqlite'),
    stream: 'main',
    rows: TEST_ROWS,
    onFault: () => {},
    tuning: { synchronous: 'OFF' },
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  const store = opened.value
  return {
    ...store,
    async remove() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const run = (number: number): RunId => `run_${number.toString(16).padStart(16, '0')}`

export function timers(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/** One process that drives runs, with everything it needs. */
export type Node = { readonly driver: RunDriver; readonly scheduler: Scheduler; readonly faults: string[] }

export type NodeSetup = {
  readonly store: SqliteStore
  readonly kinds: readonly RunKind[]
  readonly performers: Readonly<Record<string, Perform>>
  readonly boot?: string
  readonly alive?: (boot: string) => boolean
} & Partial<Pick<DrivePorts, 'clock' | 'after' | 'ledger' | 'emit' | 'probe'>> & {
    readonly limitOf?: (kind: string) => number
  }

export function startNode(setup: NodeSetup): Node {
  const { store, boot = 'boot-a', clock = () => 1_000, after = timers } = setup
  const faults: string[] = []
  const onFault = (_run: RunId | undefined, error: unknown) => void faults.push(String(error))
  const driver = createRunDriver({
    kinds: new Map(setup.kinds.map((kind) => [kind.kind, kind])),
    performers: new Map(Object.entries(setup.performers)) satisfies Performers,
    ledger: setup.ledger ?? store,
    doubts: { known: (id) => store.resultOf(id) },
    tables: store,
    journal: store,
    liveness: { isAlive: async (other) => (setup.alive ?? ((name) => name === boot))(other) },
    boot,
    clock,
    after,
    probe: setup.probe ?? (() => {}),
    emit: setup.emit ?? (() => {}),
    onFinished: (id) => scheduler.wake(id),
    onFault,
  })
  const limit = setup.limitOf === undefined ? {} : { limitOf: setup.limitOf }
  const scheduler = scheduleRuns({ driver, journal: store, tables: store, clock, after, onFault, ...limit })
  return { driver, scheduler, faults }
}

export const asKind = <State extends Json, Event extends RunEvent, Effect extends RunEffect>(
  kind: RunKind<State, Event, Effect>,
): RunKind => kind

export async function begin(
  store: Pick<SqliteStore, 'commit'>,
  kind: RunKind,
  id: RunId,
  state: Json,
  ...events: readonly RunEvent[]
): Promise<RunRow> {
  const row = beginRun(kind, id, { state }, 1_000)
  const [first, ...more] = events
  await store.commit([...newRunChanges(row, first), ...more.flatMap((event) => addRunEvent(id, event))])
  return row
}

export const send = (store: Pick<SqliteStore, 'commit'>, id: RunId, event: RunEvent) =>
  store.commit(addRunEvent(id, event))

/** A performer that continues when the test says so. */
export function gatedPerform(performed: string[]) {
  const gates = new Map<string, () => void>()
  const slow: Perform = async ({ kind, key }, { signal }) => {
    performed.push(`${kind} ${key}`)
    await new Promise<void>((resolve, reject) => {
      gates.set(key, resolve)
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
    return { type: 'effect.done' }
  }
  return { slow, open: (key: string) => gates.get(key)?.() }
}
