import { createRunDriver } from '../kernel/runs/drive-run.ts'
import { type Performers, performersOf } from '../kernel/runs/performer.ts'
import { scheduleRuns, type Scheduler } from '../kernel/runs/schedule-runs.ts'
import type { RunKind } from '../kernel/contract/run.ts'
import type { GateOptions } from './gate-options.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'
import type { Log } from '../kernel/ports/log.ts'
import { openDispatching } from '../kernel/attempt/dispatching.ts'
import { executeCall, type ExecuteCall } from '../kernel/attempt/execute-call.ts'
import { claimCall } from '../kernel/attempt/decided.ts'
import { createRunningCalls } from '../kernel/attempt/running-calls.ts'
import { storedVolume } from '../kernel/attempt/stored-volume.ts'
import { openToolViews } from '../kernel/catalogue/tool-views.ts'
import { createVisibleTools } from '../kernel/catalogue/visible-tools.ts'
import { openChanges } from '../kernel/changes/changes.ts'
import { watchRows } from '../kernel/changes/watch-rows.ts'
import type { CallId } from '../kernel/contract/ids.ts'
import { policiesOf } from '../kernel/policy/policies.ts'
import type { BoundPorts } from '../kernel/ports/bound-ports.ts'
import { openProxy } from '../kernel/proxy/proxy.ts'
import { checkPolicy, partsOf } from './guest-parts.ts'

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

type Bound = {
  readonly ports: BoundPorts
  readonly performers: Performers
  /** Resolves when everything dispatched has its outcome, even if nobody waits for it any more. */
  idle(): Promise<void>
}

/** Makes what doors, guests and the driver share of the opened ports. Decides nothing. */
export function bindPorts(opened: Ports): Bound {
  const running = createRunningCalls(opened.notices)
  const volume = storedVolume(opened)
  const executing = { ...opened, running, volume }
  const execute: ExecuteCall = (started, live) => executeCall(executing, started, live)
  const visibleTools = createVisibleTools(opened)
  const acting = {
    ...opened,
    visibleTools,
    execute,
    running,
    volume,
    watch: watchRows(opened.notices),
    tokens: opened.keys.tokens,
    onShown: opened.shown.onShown,
    async eraseElsewhere(user: string) {
      for (const erase of await partsOf(({ eraseUser }) => eraseUser)) await erase(opened, user)
    },
  }
  const deps = { ...acting, claim: (call_id: CallId) => claimCall(acting, call_id) }
  const { dispatch, idle } = openDispatching(deps)
  const ports: BoundPorts = {
    ...deps,
    dispatch,
    toolViews: openToolViews(deps),
    proxy: openProxy(deps),
    policies: policiesOf({ ...deps, checkPolicy }),
    changes: openChanges({
      ...deps,
      serversFor: (caller) => new Set(visibleTools.tools(caller).map(({ row }) => row.server)),
    }),
  }
  return { ports, performers: performersOf(opened.kinds, ports), idle }
}
