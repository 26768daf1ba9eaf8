import type { DoctorAnswer } from '../contract/answers.ts'
import type { Problem } from '../contract/problems.ts'
import type { AgentGate } from './agent/bind.ts'
import type { ActivityGate } from './activity/bind.ts'
import type { ApprovalsGate } from './approvals/bind.ts'
import type { ArtifactsGate } from './artifacts/bind.ts'
import type { AuditGate } from './audit/bind.ts'
import type { CallsGate } from './calls/bind.ts'
import type { CatalogueGate } from './catalogue/bind.ts'
import type { Changes } from './changes/changes.ts'
import type { ChannelsGate } from './channels/bind.ts'
import type { ConsentsGate } from './consents/bind.ts'
import type { FlowsGate } from './flows/bind.ts'
import type { HubGate } from './hub/bind.ts'
import type { IdentityGate } from './identity/bind.ts'
import type { JudgementsGate } from './judgements/bind.ts'
import type { LoginsGate } from './logins/bind.ts'
import type { PausesGate } from './policy/bind.ts'
import type { Policies } from './policy/policies.ts'
import type { ReadingsGate } from './provenance/readings.ts'
import type { Proxy } from './proxy/proxy.ts'
import type { RelayGate } from './relay/bind.ts'
import type { RetentionGate } from './retention/bind.ts'
import type { RunsGate } from './runs/bind.ts'
import type { ToolflowGate } from './toolflow/bind.ts'
import type { WorkflowsGate } from './workflows/bind.ts'

/**
 * The configuration this gate was started with: the file, and a digest of each section that takes effect only after a restart.
 */
export type SettingsInForce = { readonly file: string; readonly sections: Readonly<Record<string, string>> }

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
