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
import type { Ports } from '../kernel/ports/guest-ports.ts'
import { openProxy } from '../kernel/proxy/proxy.ts'
import { performersOf, type Performers } from '../kernel/runs/performer.ts'
import { checkPolicy, partsOf } from './guest-parts.ts'

export type Bound = {
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
  return { ports, performers: performersOf(opened.kinds, { ...ports, askProxy: ports.proxy.ask }), idle }
}
