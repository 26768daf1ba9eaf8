import { createRunDriver } from '../commands/runs/drive-run.ts'
import type { Performers } from '../commands/runs/performer.ts'
import { scheduleRuns, type Scheduler } from '../commands/runs/schedule-runs.ts'
import type { RunKind } from '../contract/run.ts'
import { RUN_KINDS } from '../core/runs/kinds.ts'
import { bindGate, type Bound } from './bind-gate.ts'
import type { GateOptions } from './gate-options.ts'
import type { World } from './world.ts'
import type { Log } from './log.ts'

/** The commands over an opened world, and the driver that carries out what people decide. */
export function driveWorld(
  world: World,
  log: Log,
  around: GateOptions['around'] = {},
): Pick<Bound, 'gate' | 'idle'> & { scheduler: Scheduler } {
  const { gate, performers, idle } = bindGate(world)
  const { perform = (_kind, inner) => inner } = around
  const wrapped = new Map([...performers].map(([kind, inner]) => [kind, perform(kind, inner)]))
  return { gate, scheduler: driveRuns(world, RUN_KINDS, wrapped, log), idle }
}

/** What the driver needs from the world. */
type RunWorld = Pick<
  World,
  'ledger' | 'doubts' | 'shown' | 'tables' | 'journal' | 'boot' | 'clock' | 'probe' | 'after'
> &
  Partial<Pick<World, 'notices' | 'jobs' | 'isVolatile'>> & { readonly liveness: Pick<World['liveness'], 'isAlive'> }

export function driveRuns(
  world: RunWorld,
  kinds: ReadonlyMap<string, RunKind>,
  performers: Performers,
  log: Log,
): Scheduler {
  const onFault = (run: string | undefined, error: unknown) =>
    log('error', 'a run could not be driven', { run, error: String(error) })
  const driver = createRunDriver({
    ...world,
    kinds,
    performers,
    emit: world.shown.show,
    onFinished: (run) => scheduler.wake(run),
    onFault,
  })
  const scheduler = scheduleRuns({ ...world, driver, onFault, isShared: world.jobs !== undefined })
  world.notices?.subscribe('wakes', (runs, origin) => {
    if (origin === 'here') return
    // A run whose contents are in this node's memory cannot be driven by the node that woke it.
    for (const run of runs)
      if (world.isVolatile?.(run) === true) scheduler.wake(run)
      else scheduler.heard(run)
  })
  world.notices?.onMissed(scheduler.missed)
  const stopWorking = world.jobs?.work({ drive: scheduler.drive, giveUp: driver.giveUp })
  return {
    ...scheduler,
    async stop() {
      const stopped = scheduler.stop()
      await stopWorking?.()
      await stopped
    },
  }
}
