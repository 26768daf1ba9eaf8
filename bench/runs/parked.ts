import { setTimeout as sleep } from 'node:timers/promises'
import { randomIds } from '../../server/src/main/random-ids.ts'
import { newRunChanges, addRunEvent } from '../../server/src/kernel/runs/run-changes.ts'
import type { RunId } from '../../server/src/kernel/contract/ids.ts'
import { quantile } from '../bench.ts'
import { endsOf, GO, newRun, openRunProcess, type RunProcess } from './sluice.ts'

// Two processes, one after the other, over one folder: `parked.ts park <folder> <runs>` and `parked.ts wake <folder>`.
// Each prints one line of JSON. Needs --expose-gc.

export type Memory = { readonly rss_mb: number; readonly heap_mb: number }
export type Parked = { readonly before: Memory; readonly after: Memory }
export type Woken = {
  /** From opening the store until its runs can be woken. */
  readonly start_ms: number
  readonly memory: Memory
  /** Runs that took all their steps after a signal. */
  readonly ended: number
  /** From the call that sends the signal until the run's first effect starts. */
  readonly resume_p50_ms: number
  readonly resume_p99_ms: number
  /** Two commits in a row, for comparison: a signal and its step need at least two. */
  readonly commits_p50_ms: number
  readonly commits_p99_ms: number
}

const PAGE = 250
/** Signals that are sent one by one and measured; the others are sent in groups. */
const ALONE = 1_000

async function park(folder: string, runs: number): Promise<Parked> {
  const { ledger, scheduler, store, close } = await openRunProcess(folder)
  // The code is warm and the caches are filled: what grows from here on is the runs.
  await parkMany(ledger, PAGE * 4)
  const before = await settledMemory()
  await parkMany(ledger, runs - PAGE * 4)
  await scheduler.idle()
  const after = await settledMemory()
  if ((await store.count('runs', { status: 'waiting' })) !== runs) throw new Error('not every run is parked')
  await close()
  return { before, after }
}

async function parkMany(ledger: RunProcess['ledger'], runs: number): Promise<void> {
  for (let parked = 0; parked < runs; parked += PAGE) {
    const ids = Array.from({ length: Math.min(PAGE, runs - parked) }, () => randomIds.run())
    const outcomes = await Promise.all(ids.map((id) => ledger.commit(newRunChanges(newRun(id)))))
    if (outcomes.some((outcome) => outcome !== 'committed')) throw new Error('a run could not be stored')
  }
}

async function wake(folder: string): Promise<Woken> {
  const start = performance.now()
  const started = new Map<RunId, (at: number) => void>()
  const { ledger, store, close } = await openRunProcess(folder, (run) => started.get(run)?.(performance.now()))
  const start_ms = Math.round(performance.now() - start)
  const ids = await waiting(store)
  const memory = await settledMemory()
  const endOf = endsOf(ledger)
  const signal = async (id: RunId): Promise<number> => {
    const ended = endOf(id)
    const first = new Promise<number>((resolve) => started.set(id, resolve))
    const sent = performance.now()
    await ledger.commit(addRunEvent(id, GO))
    const resumed = (await first) - sent
    started.delete(id)
    await ended
    return resumed
  }
  const took: number[] = []
  const bare: number[] = []
  for (const id of ids.slice(0, ALONE)) {
    took.push(await signal(id))
    bare.push(await twoCommits(ledger))
  }
  for (let at = ALONE; at < ids.length; at += PAGE) await Promise.all(ids.slice(at, at + PAGE).map(signal))
  const ended = await store.count('runs', { status: 'done' })
  await close()
  const [resume_p50_ms, resume_p99_ms] = quantiles(took)
  const [commits_p50_ms, commits_p99_ms] = quantiles(bare)
  return { start_ms, memory, ended, resume_p50_ms, resume_p99_ms, commits_p50_ms, commits_p99_ms }
}

function quantiles(took: readonly number[]): [number, number] {
  const sorted = took.toSorted((a, b) => a - b)
  return [round(quantile(sorted, 0.5)), round(quantile(sorted, 0.99))]
}

async function twoCommits(ledger: RunProcess['ledger']): Promise<number> {
  const sent = performance.now()
  for (const key of [randomIds.trace(), randomIds.trace()]) await ledger.commit([{ kind: 'once', key, until: 1 }])
  return performance.now() - sent
}

async function waiting(store: RunProcess['store']): Promise<RunId[]> {
  const ids: RunId[] = []
  let after: number | undefined
  do {
    const since = after === undefined ? {} : { after }
    const page = await store.list('runs', { status: 'waiting' }, { limit: PAGE, ...since })
    ids.push(...page.map(({ row }) => row.run_id))
    after = page.length < PAGE ? undefined : page.at(-1)?.cursor
  } while (after !== undefined)
  return ids
}

/** After garbage collection. */
async function settledMemory(): Promise<Memory> {
  for (let turn = 0; turn < 3; turn += 1) {
    global.gc?.()
    await sleep(100)
  }
  const { rss, heapUsed } = process.memoryUsage()
  return { rss_mb: round(rss / 2 ** 20), heap_mb: round(heapUsed / 2 ** 20) }
}

const round = (value: number): number => Math.round(value * 100) / 100

const [half, folder = '', runs = '10000'] = process.argv.slice(2)
console.log(JSON.stringify(half === 'park' ? await park(folder, Number(runs)) : await wake(folder)))
process.exit(0)
