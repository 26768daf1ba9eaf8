import { bindAgent } from '../commands/agent/bind.ts'
import { bindActivity } from '../commands/activity/bind.ts'
import { bindApprovals } from '../commands/approvals/bind.ts'
import { bindArtifacts } from '../commands/artifacts/bind.ts'
import { bindAudit } from '../commands/audit/bind.ts'
import { bindCalls } from '../commands/calls/bind.ts'
import { executeCall, type ExecuteCall } from '../commands/calls/execute-call.ts'
import { claimCall } from '../commands/calls/resume-call.ts'
import { storedVolume } from '../commands/calls/stored-volume.ts'
import { createRunningCalls } from '../commands/calls/running-calls.ts'
import { bindCatalogue } from '../commands/catalogue/bind.ts'
import { createVisibleTools } from '../commands/catalogue/visible-tools.ts'
import { openChanges } from '../commands/changes/changes.ts'
import { watchRows } from '../commands/changes/watch-rows.ts'
import { bindChannels } from '../commands/channels/bind.ts'
import { bindConsents } from '../commands/consents/bind.ts'
import { bindFlows } from '../commands/flows/bind.ts'
import type { Gate } from '../commands/gate.ts'
import { bindHub } from '../commands/hub/bind.ts'
import { bindIdentity } from '../commands/identity/bind.ts'
import { bindJudgements } from '../commands/judgements/bind.ts'
import { bindLogins } from '../commands/logins/bind.ts'
import { bindPolicy } from '../commands/policy/bind.ts'
import { bindReadings } from '../commands/provenance/readings.ts'
import { openProxy } from '../commands/proxy/proxy.ts'
import { bindRelay } from '../commands/relay/bind.ts'
import { bindRetention } from '../commands/retention/bind.ts'
import { bindRuns } from '../commands/runs/bind.ts'
import type { Performers } from '../commands/runs/performer.ts'
import { performersOf } from '../commands/runs/performers.ts'
import { bindToolflow } from '../commands/toolflow/bind.ts'
import { bindWorkflows } from '../commands/workflows/bind.ts'
import type { CallId } from '../contract/ids.ts'
import type { GatePorts } from './gate-ports.ts'
import { z3 } from './z3.ts'

export type Bound = {
  readonly gate: Gate
  readonly performers: Performers
  /** Resolves when everything dispatched has its outcome, even if nobody waits for it any more. */
  idle(): Promise<void>
}

/** The commands bound to the opened ports: what doors call, and what the driver performs. Binds, decides nothing. */
export function bindGate(ports: GatePorts): Bound {
  const running = createRunningCalls(ports.notices)
  const volume = storedVolume(ports)
  const executing = { ...ports, running, volume }
  const execute: ExecuteCall = (started, live) => executeCall(executing, started, live)
  const visibleTools = createVisibleTools(ports)
  const claim = (call_id: CallId) => claimCall({ ...ports, execute }, call_id)
  const deps = {
    ...ports,
    claim,
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
    ...bindPolicy({ ...deps, solver: z3 }),
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
  return { gate, performers: performersOf({ ...deps, dispatch: calls.dispatch, askProxy: gate.proxy.ask }), idle }
}
