import type { RunId } from '../../contract/ids.ts'
import type { Driven } from './drive-run.ts'
import type { Clock, Journal } from '../ports.ts'

export type ScheduleDeps = {
  readonly drive: (run: RunId) => Promise<Driven>
  readonly journal: Journal
  readonly clock: Clock
  /** Calls back once after so many milliseconds, unless cancelled. */
  readonly after: (ms: number, callback: () => void) => () => void
  readonly onFault: (run: RunId | undefined, error: unknown) => void
}

export interface Scheduler {
  /** Drive everything that is due. At start this is the recovery of all runs. */
  sweep(): Promise<void>
  /** No new drives; resolves when those under way have parked. */
  stop(): Promise<void>
}

const AGAIN_MS = 500
const AT_ONCE = 64
const LONGEST_SLEEP_MS = 60_000

/** The embedded way of waking runs: in this process, directly after the commit, with one timer for the next one due. */
export function scheduleRuns(deps: ScheduleDeps): Scheduler {
  const driving = new Map<RunId, { again: boolean; ended: Promise<void> }>()
  let stopped = false
  let cancelTimer = () => {}

  function wake(run: RunId): void {
    if (stopped) return
    const current = driving.get(run)
    // A wake-up during a drive is not lost: the run is driven once more.
    if (current !== undefined) current.again = true
    else driving.set(run, { again: false, ended: drive(run) })
  }

  async function drive(run: RunId): Promise<void> {
    await Promise.resolve()
    let driven: Driven = 'later'
    try {
      driven = await deps.drive(run)
    } catch (error) {
      deps.onFault(run, error)
    }
    const again = driving.get(run)?.again === true && driven !== 'done'
    driving.delete(run)
    if (again) wake(run)
    else if (driven === 'later') deps.after(AGAIN_MS, () => wake(run))
  }

  async function sweep(): Promise<void> {
    if (stopped) return
    cancelTimer()
    try {
      const now = deps.clock()
      const due = await deps.journal.due(now, AT_ONCE)
      for (const run of due) wake(run)
      const next = await deps.journal.nextDue(now)
      // A full page means that more are due already: look again as soon as these are under way.
      const wait =
        due.length === AT_ONCE
          ? AGAIN_MS
          : Math.min(LONGEST_SLEEP_MS, next === undefined ? LONGEST_SLEEP_MS : next - now)
      cancelTimer = deps.after(Math.max(1, wait), () => void sweep())
    } catch (error) {
      deps.onFault(undefined, error)
      cancelTimer = deps.after(AGAIN_MS, () => void sweep())
    }
  }

  deps.journal.onWake((run, at) => {
    if (at === undefined || at <= deps.clock()) wake(run)
    else void sweep()
  })

  return {
    sweep,
    async stop() {
      stopped = true
      cancelTimer()
      await Promise.all([...driving.values()].map(({ ended }) => ended))
    },
  }
}
