import type { DoctorAnswer } from '../kernel/contract/answers.ts'
import type { Problem } from '../kernel/contract/problems.ts'
import type { AgentGate } from '../guests/agent/bind.ts'
import type { ActivityGate } from '../guests/activity/bind.ts'
import type { ApprovalsGate } from '../kernel/approvals/bind.ts'
import type { ArtifactsGate } from '../kernel/artifacts/bind.ts'
import type { AuditGate } from '../kernel/audit/bind.ts'
import type { CallsGate } from '../kernel/attempt/bind.ts'
import type { CatalogueGate } from '../kernel/catalogue/bind.ts'
import type { Changes } from '../kernel/changes/changes.ts'
import type { ChannelsGate } from '../kernel/approvals/bind-use.ts'
import type { ConsentsGate } from '../kernel/consents/bind.ts'
import type { FlowsGate } from '../guests/flows/bind.ts'
import type { HubGate } from '../guests/hub/bind.ts'
import type { IdentityGate } from '../kernel/identity/bind.ts'
import type { JudgementsGate } from '../guests/hooks/bind.ts'
import type { LoginsGate } from '../guests/server-logins/bind.ts'
import type { PausesGate } from '../kernel/policy/bind.ts'
import type { SettingsInForce } from '../kernel/ports/kernel-ports.ts'
import type { Policies } from '../kernel/policy/policies.ts'
import type { ReadingsGate } from '../guests/provenance/readings.ts'
import type { Proxy } from '../kernel/proxy/proxy.ts'
import type { RelayGate } from '../adapters/mcp/bind.ts'
import type { RetentionGate } from '../kernel/retention/bind.ts'
import type { RunsGate } from '../kernel/runs/bind.ts'
import type { ToolflowGate } from '../guests/toolflow/bind.ts'
import type { WorkflowsGate } from '../guests/workflows/bind.ts'

/**
 * The commands, bound to their ports, by subject: everything that a door may call. Every one checks the caller's permissions
 * itself.
 */
export interface Gate {
  /** Of this release. */
  readonly version: string
  readonly settings: SettingsInForce
  /** The checks of `sluice doctor`, for admins. */
  doctor(): Promise<DoctorAnswer>
  readonly calls: CallsGate
  /** Tools that coding agents run themselves. */
  readonly judgements: JudgementsGate
  /** What happened, for people who watch. */
  readonly activity: ActivityGate
  readonly approvals: ApprovalsGate
  readonly consents: ConsentsGate
  readonly runs: RunsGate
  readonly toolflow: ToolflowGate
  readonly agent: AgentGate
  /** Procedures, their runs, and proposals from them. */
  readonly flows: FlowsGate
  readonly workflows: WorkflowsGate
  readonly catalogue: CatalogueGate
  /** Resources, prompts and completions of tool servers. */
  readonly proxy: Proxy
  /** For MCP clients whose requests reach several nodes. */
  readonly relay: RelayGate
  /** People's logins at tool servers. */
  readonly logins: LoginsGate
  readonly artifacts: ArtifactsGate
  /** Text that a session reads from other sessions. */
  readonly readings: ReadingsGate
  readonly policies: Policies
  readonly pauses: PausesGate
  readonly identity: IdentityGate
  /** For nodes whose approvals are decided here. */
  readonly hub: HubGate
  readonly channels: ChannelsGate
  /** Reports changes of calls, approvals, tools, pauses and policies, as far as the caller may see them. */
  readonly changes: Changes
  readonly audit: AuditGate
  readonly retention: RetentionGate
  /** Undefined if calls are accepted. */
  closedBy(): Problem | undefined
}
