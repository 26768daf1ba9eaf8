import { createRunDriver } from '../kernel/runs/drive-run.ts'
import type { Performers } from '../kernel/runs/performer.ts'
import { scheduleRuns, type Scheduler } from '../kernel/runs/schedule-runs.ts'
import type { RunKind } from '../kernel/contract/run.ts'
import { bindPorts, type Bound } from './bind-ports.ts'
import type { GateOptions } from './gate-options.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'
import type { Log } from '../kernel/ports/log.ts'

/** What doors and guests use of the opened ports, and the driver that carries out what people decide. */
export function driveGate(
  opened: Ports,
  log: Log,
  around: GateOptions['around'] = {},
): Pick<Bound, 'ports' | 'idle'> & { scheduler: Scheduler } {
  const { ports, performers, idle } = bindPorts(opened)
  const { perform = (_kind, inner) => inner } = around
  const wrapped = new Map([...performers].map(([kind, inner]) => [kind, perform(kind, inner)]))
  return { ports, scheduler: driveRuns(ports, ports.kinds, wrapped, log), idle }
}

/** The ports that the driver needs. */
type RunPorts = Pick<
  Ports,
  'ledger' | 'doubts' | 'shown' | 'tables' | 'journal' | 'boot' | 'clock' | 'probe' | 'after'
> &
  Partial<Pick<Ports, 'notices' | 'jobs' | 'isVolatile'>> & {
    readonly liveness: Pick<Ports['liveness'], 'isAlive'>
  }

export function driveRuns(
  ports: RunPorts,
  kinds: ReadonlyMap<string, RunKind>,
  performers: Performers,
  log: Log,
): Scheduler {
  const onFault = (run: string | undefined, error: unknown) =>
    log('error', 'a run could not be continued', { run, error: String(error) })
  const driver = createRunDriver({
    ...ports,
    kinds,
    performers,
    emit: ports.shown.show,
    onFinished: (run) => scheduler.wake(run),
    onFault,
  })
  const scheduler = scheduleRuns({ ...ports, driver, onFault, isShared: ports.jobs !== undefined })
  ports.notices?.subscribe('wakes', (runs, origin) => {
    if (origin === 'here') return
    // A run whose contents are in this node's memory cannot be driven by the node that woke it.
    for (const run of runs)
      if (ports.isVolatile?.(run) === true) scheduler.wake(run)
      else scheduler.wokenElsewhere(run)
  })
  ports.notices?.onMissed(scheduler.missed)
  const stopWorking = ports.jobs?.work({ drive: scheduler.drive, giveUp: driver.giveUp })
  return {
    ...scheduler,
    async stop() {
      const stopped = scheduler.stop()
      await stopWorking?.()
      await stopped
    },
  }
}
