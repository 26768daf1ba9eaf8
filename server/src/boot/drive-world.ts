import { createRunDriver } from '../commands/runs/drive-run.ts'
import { scheduleRuns, type Scheduler } from '../commands/runs/schedule-runs.ts'
import { RUN_KINDS } from '../core/runs/kinds.ts'
import { bindGate, type Bound, type World } from './bind-gate.ts'
import type { Log } from './open-gate.ts'

/** The commands over an opened world, and the driver that carries on what people decide. */
export function driveWorld(world: World, log: Log): Pick<Bound, 'gate' | 'idle'> & { scheduler: Scheduler } {
  const { gate, performers, idle } = bindGate(world)
  const onFault = (run: string | undefined, error: unknown) =>
    log('error', 'a run could not be driven', { run, error: String(error) })
  const driver = createRunDriver({
    ...world,
    kinds: RUN_KINDS,
    performers,
    emit: () => {},
    onLanded: (run) => scheduler.wake(run),
    onFault,
  })
  const scheduler = scheduleRuns({ ...world, driver, onFault })
  return { gate, scheduler, idle }
}
