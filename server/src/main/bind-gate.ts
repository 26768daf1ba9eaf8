import { bindAgent } from '../guests/agent/bind.ts'
import { bindActivity } from '../guests/activity/bind.ts'
import { bindApprovals } from '../kernel/approvals/bind.ts'
import { bindArtifacts } from '../kernel/artifacts/bind.ts'
import { bindAudit } from '../kernel/audit/bind.ts'
import { bindCalls } from '../kernel/attempt/bind.ts'
import { executeCall, type ExecuteCall } from '../kernel/attempt/execute-call.ts'
import { claimCall } from '../kernel/attempt/decided.ts'
import { storedVolume } from '../kernel/attempt/stored-volume.ts'
import { createRunningCalls } from '../kernel/attempt/running-calls.ts'
import { bindCatalogue } from '../kernel/catalogue/bind.ts'
import { createVisibleTools } from '../kernel/catalogue/visible-tools.ts'
import { openChanges } from '../kernel/changes/changes.ts'
import { watchRows } from '../kernel/changes/watch-rows.ts'
import { bindChannels } from '../kernel/approvals/bind-use.ts'
import { bindConsents } from '../kernel/consents/bind.ts'
import { bindFlows } from '../guests/flows/bind.ts'
import type { Gate } from './gate.ts'
import { bindHub } from '../guests/hub/bind.ts'
import { bindIdentity } from '../kernel/identity/bind.ts'
import { bindJudgements } from '../guests/hooks/bind.ts'
import { bindLogins } from '../guests/server-logins/bind.ts'
import { bindPolicy } from '../kernel/policy/bind.ts'
import { bindReadings } from '../guests/provenance/readings.ts'
import { openProxy } from '../kernel/proxy/proxy.ts'
import { bindRelay } from '../adapters/mcp/bind.ts'
import { bindRetention } from '../kernel/retention/bind.ts'
import { bindRuns } from '../kernel/runs/bind.ts'
import { performersOf, type Performers } from '../kernel/runs/performer.ts'
import { bindToolflow } from '../guests/toolflow/bind.ts'
import { bindWorkflows } from '../guests/workflows/bind.ts'
import type { CallId } from '../kernel/contract/ids.ts'
import type { BoundPorts } from '../kernel/ports/bound-ports.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'
import { checkPolicy } from './guest-parts.ts'

export type Bound = {
  readonly gate: Gate
  readonly performers: Performers
  readonly bound: BoundPorts
  /** Resolves when everything dispatched has its outcome, even if nobody waits for it any more. */
  idle(): Promise<void>
}

/** The commands bound to the opened ports: what doors call, and what the driver performs. Binds, decides nothing. */
export function bindGate(ports: Ports): Bound {
  const running = createRunningCalls(ports.notices)
  const volume = storedVolume(ports)
  const executing = { ...ports, running, volume }
  const execute: ExecuteCall = (started, live) => executeCall(executing, started, live)
  const visibleTools = createVisibleTools(ports)
  const deps: BoundPorts = {
    ...ports,
    claim: (call_id: CallId) => claimCall(deps, call_id),
    visibleTools,
    execute,
    running,
    volume,
    watch: watchRows(ports.notices),
    tokens: ports.keys.tokens,
  }
  const { calls, idle } = bindCalls(deps)
  const gate: Gate = {
    version: ports.version,
    settings: ports.settings,
    doctor: ports.doctor,
    calls,
    judgements: bindJudgements({ ...deps, calls }),
    activity: bindActivity(deps),
    approvals: bindApprovals(deps),
    consents: bindConsents(deps),
    runs: bindRuns(deps),
    toolflow: bindToolflow(deps),
    agent: bindAgent({ ...deps, onShown: ports.shown.onShown }),
    flows: bindFlows(deps),
    workflows: bindWorkflows(deps),
    catalogue: bindCatalogue(deps),
    proxy: openProxy(deps),
    relay: bindRelay(deps),
    logins: bindLogins(deps),
    artifacts: bindArtifacts(deps),
    readings: bindReadings(deps),
    ...bindPolicy({ ...deps, checkPolicy }),
    identity: bindIdentity(deps),
    hub: bindHub(deps),
    channels: bindChannels(deps),
    changes: openChanges({
      ...deps,
      serversFor: (caller) => new Set(visibleTools.tools(caller).map(({ row }) => row.server)),
    }),
    audit: bindAudit({ ...deps, keys: ports.keys.checkpoints }),
    retention: bindRetention({ ...deps, ledger: ports.quiet, notifying: ports.ledger }),
    closedBy: () => ports.intake.closedBy(),
  }
  return {
    gate,
    performers: performersOf(ports.kinds, { ...deps, dispatch: calls.dispatch, askProxy: gate.proxy.ask }),
    bound: deps,
    idle,
  }
}
