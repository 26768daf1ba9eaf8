import type { RunId } from '../contract/ids.ts'
import type { DueRun, Stored, Journal, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import type { RunDriver } from './drive-run.ts'
import { createFairQueue, type Queued } from './fair-queue.ts'

export type SchedulePorts = {
  readonly driver: RunDriver
  readonly journal: Pick<Journal, 'due' | 'nextDue' | 'onWake'>
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly clock: Clock
  /** Calls back once after `ms` milliseconds, unless cancelled. */
  readonly after: (ms: number, callback: () => void) => () => void
  readonly onFault: (run: RunId | undefined, error: unknown) => void
  /** Other nodes drive runs too: what is due immediately is left to the node that woke it, or to its job. */
  readonly isShared?: boolean
  /** How many runs of a kind are driven at once. */
  readonly limitOf?: (kind: string) => number
}

export interface Scheduler {
  /** There is something to do for a run. */
  wake(run: RunId): void
  /**
   * Drives a run that another node reported, unless it is being driven here. Resolves when it is parked or ended here; rejects
   * when this node stops.
   */
  drive(run: RunId): Promise<void>
  /** Another node woke a run: if it is driven here, it has new events. */
  wokenElsewhere(run: RunId): void
  /** Notices of other nodes may have been missed. */
  missed(): void
  /** Drives everything that is due. */
  sweep(): Promise<void>
  /** At start: also drives the runs whose effects were in progress when an earlier process ended. */
  recover(): Promise<void>
  /** Resolves when no run is being driven or queued. */
  idle(): Promise<void>
  /** Starts no new drives; resolves when those in progress have parked or ended. */
  stop(): Promise<void>
}

const AGAIN_MS = 500
const PAGE = 256
const LONGEST_SLEEP_MS = 60_000
/** A run that waits for a slow effect keeps its slot, so there are many. */
const LIMIT = 512

/** Decides which run is driven when: directly after the commit that wakes it, at its time, or when a slot is free. */
export function scheduleRuns(deps: SchedulePorts): Scheduler {
  const queue = createFairQueue<RunId>(deps.limitOf ?? (() => LIMIT))
  /** Being looked up or driven. */
  const busy = new Map<RunId, Promise<void>>()
  /** Woken while it was looked up or parked. */
  const again = new Set<RunId>()
  /** Callers that wait until a run is parked or ended. */
  const resting = new Map<RunId, (() => void)[]>()
  let stopped = false
  let sweeping: Promise<void> | undefined
  let alarm = { at: Infinity, cancel: () => {} }

  function wake(run: RunId): void {
    if (stopped || queue.has(run) || deps.driver.poke(run)) return
    if (busy.has(run)) again.add(run)
    else busy.set(run, enqueue(run))
  }

  async function enqueue(run: RunId): Promise<void> {
    const held = await deps.tables.row('runs', run).catch((error: unknown) => retry(run, error))
    busy.delete(run)
    const isOld = again.delete(run)
    if (held === undefined || stopped) return resolveResting(run)
    queue.add({ key: run, kind: held.row.kind, owner: held.row.owner ?? '' })
    pump(isOld ? undefined : held)
  }

  /** `read`: a row that was just read, so that its run need not be read again if it starts now. */
  function pump(read?: Stored<'runs'>): void {
    if (stopped) return
    for (let place = queue.next(); place !== undefined; place = queue.next())
      busy.set(place.key, drive(place, place.key === read?.row.run_id ? read : undefined))
  }

  async function drive(place: Queued<RunId>, read: Stored<'runs'> | undefined): Promise<void> {
    const run = place.key
    const driven = await deps.driver.drive(run, read).catch((error: unknown) => retry(run, error))
    busy.delete(run)
    queue.release(place)
    if (driven === 'elsewhere') deps.after(AGAIN_MS, () => wake(run))
    if (again.delete(run)) wake(run)
    if (!busy.has(run) && !queue.has(run)) resolveResting(run)
    pump()
  }

  function resolveResting(run: RunId): void {
    const waiting = resting.get(run) ?? []
    resting.delete(run)
    for (const resolve of waiting) resolve()
  }

  /** The store could not be read or written: nothing is known about the run, so it is checked again. */
  function retry(run: RunId, error: unknown): undefined {
    deps.onFault(run, error)
    if (!stopped) deps.after(AGAIN_MS, () => wake(run))
    return undefined
  }

  function wakeAt(at: number): void {
    if (stopped || at >= alarm.at) return
    alarm.cancel()
    const ms = Math.max(1, Math.min(LONGEST_SLEEP_MS, at - deps.clock()))
    alarm = { at, cancel: deps.after(ms, () => void sweep()) }
  }

  async function sweepOnce(isStart: boolean): Promise<void> {
    alarm.cancel()
    alarm = { at: Infinity, cancel: () => {} }
    const now = deps.clock()
    try {
      let last: DueRun | undefined
      do {
        const page = await deps.journal.due(now, PAGE, last)
        for (const { run, at } of page) if (isStart || at > 0 || deps.isShared !== true) wake(run)
        last = page.length < PAGE ? undefined : page.at(-1)
      } while (last !== undefined)
      wakeAt((await deps.journal.nextDue(now)) ?? now + LONGEST_SLEEP_MS)
    } catch (error) {
      deps.onFault(undefined, error)
      wakeAt(now + AGAIN_MS)
    }
  }

  async function sweep(isStart = false): Promise<void> {
    // One at a time; a request in the meantime causes another one.
    await sweeping
    if (stopped) return
    sweeping = sweepOnce(isStart)
    await sweeping
  }

  deps.journal.onWake((run, at) => {
    if (at === undefined || at <= deps.clock()) wake(run)
    else wakeAt(at)
  })

  return {
    wake,
    async drive(run) {
      wake(run)
      if (!busy.has(run) && !queue.has(run)) return
      await new Promise<void>((resolve) => resting.set(run, [...(resting.get(run) ?? []), resolve]))
      if (stopped) throw new Error('this node stops')
    },
    wokenElsewhere: (run) => void deps.driver.poke(run),
    missed: () => deps.driver.pokeAll(),
    sweep: () => sweep(),
    async recover() {
      let after: number | undefined
      do {
        const since = after === undefined ? {} : { after }
        const page = await deps.tables.list('runs', { status: 'active' }, { limit: PAGE, ...since })
        for (const { row } of page) wake(row.run_id)
        after = page.length < PAGE ? undefined : page.at(-1)?.cursor
      } while (after !== undefined)
      await sweep(true)
    },
    async idle() {
      while (busy.size > 0) await Promise.all(busy.values())
    },
    async stop() {
      stopped = true
      alarm.cancel()
      deps.driver.stop()
      await Promise.all(busy.values())
      for (const run of resting.keys()) resolveResting(run)
    },
  }
}
