import type { LiveCatalogue } from '../kernel/catalogue/catalogue.ts'
import type { Links } from '../kernel/attempt/describe-call.ts'
import type { Judgement } from '../kernel/attempt/facts/load-judgement.ts'
import type { ServerReport } from '../kernel/catalogue/server-report.ts'
import type { FactsDeps } from '../kernel/attempt/gather-facts.ts'
import type { Intake } from '../kernel/attempt/intake.ts'
import type { PolicyStore } from '../kernel/policy/put-policy.ts'
import type { LivePolicy } from '../kernel/policy/live-policy.ts'
import type { CheckpointFile, OwnTail, SeenEntries } from '../kernel/ports/audit.ts'
import type { Artifacts } from '../kernel/ports/artifacts.ts'
import type { CallbackSource, Channel, WebPush } from '../kernel/approvals/channels-use.ts'
import type { FlowPolicySource } from '../kernel/ports/flow-policy.ts'
import type { ChatRoom } from '../kernel/ports/chat.ts'
import type { HealthEvidence } from '../kernel/ports/health.ts'
import type { AttachedHub, HubKeys, NodeRoom } from '../kernel/ports/hub.ts'
import type { HubEffectDeps } from '../guests/hub/hub-effects.ts'
import type { RotateDeps } from '../kernel/identity/rotate-keys.ts'
import type { Issuers, OidcLogins, Passkeys, Passphrases, WebhookKey } from '../kernel/ports/keys.ts'
import type { OwnServer } from '../guests/hooks/judge-tool-use.ts'
import type { Ledger } from '../kernel/ports/ledger.ts'
import type { ServerLogins } from '../kernel/ports/logins.ts'
import type { AgentModels, ArgumentModel } from '../kernel/ports/models.ts'
import type { Accounts, AuditReads, Journal, Searches, Tables } from '../kernel/ports/reads.ts'
import type { YieldWhenDue, Clock, Digest, Ids, Probe } from '../kernel/ports/runtime.ts'
import type { Offerings, ToolServers } from '../kernel/ports/upstream.ts'
import type { FileFacts } from '../kernel/ports/files.ts'
import type { Sessions } from '../kernel/sessions/sessions.ts'
import type { SecretValue } from '../kernel/attempt/call-secrets.ts'
import type { Documents } from '../guests/workflows/documents.ts'
import type { ChangeNumbers } from '../kernel/changes/changes-in.ts'
import type { Doubts } from '../kernel/changes/settle-doubts.ts'
import type { DoctorAnswer } from '../kernel/contract/answers.ts'
import type { CallerKind } from '../kernel/contract/caller.ts'
import type { FlowSettings } from '../guests/flows/flows.ts'
import type { AgentSettings } from '../guests/agent/agent.ts'
import type { SettingsInForce } from './gate.ts'
import type { ToolflowSettings } from '../guests/toolflow/toolflow.ts'
import type { RunOutput } from '../kernel/runs/run-output.ts'
import type { Counts } from '../kernel/ports/counts.ts'
import type { RunKinds } from '../kernel/runs/performer.ts'
import type { RunJobs } from '../kernel/ports/jobs.ts'
import type { RunId } from '../kernel/contract/ids.ts'
import type { Liveness } from '../kernel/ports/liveness.ts'
import type { Notices } from '../kernel/ports/notices.ts'
import type { Config } from '../kernel/contract/config.ts'
import type { KnownPack } from '../guests/packs/match-pack.ts'
import type { Routes } from '../kernel/approvals/load-routes.ts'
import type { DispatchDeps } from '../kernel/attempt/dispatch-call.ts'
import type { LiveKeys } from './open-data-folder.ts'

/** All ports that the commands need, opened. */
export type GatePorts = {
  readonly version: string
  readonly stream: string
  readonly boot: string
  readonly ledger: Ledger
  readonly kinds: RunKinds
  readonly doubts: Doubts
  readonly tables: Tables
  readonly searches: Searches
  readonly accounts: Accounts
  readonly files: FileFacts
  readonly judgement: Judgement
  readonly ownServer: OwnServer
  readonly yieldWhenDue: YieldWhenDue
  readonly ownCredentials: FactsDeps['ownCredentials']
  readonly toolflow: ToolflowSettings
  readonly agentSettings: AgentSettings
  readonly isVolatileFull: () => boolean
  /** Whether the contents of this run are only in the memory of this node. */
  readonly isVolatile: (run: RunId) => boolean
  readonly counts: Counts
  /** Set if several nodes share the store. */
  readonly jobs?: RunJobs
  readonly models: AgentModels
  readonly oidcLogins: OidcLogins
  readonly flowSettings: FlowSettings
  readonly flowPolicy: FlowPolicySource
  readonly policyStore: PolicyStore
  readonly doctor: () => Promise<DoctorAnswer>
  /** Tokens are printed into threads: in development only. */
  readonly showsTokens: boolean
  readonly shown: RunOutput
  readonly settings: SettingsInForce
  /** Only with a model for the toolflow. */
  readonly argumentModel?: ArgumentModel
  /** What each session has read. */
  readonly sessions: Sessions
  /** Only with a `serenity` section. */
  readonly health?: HealthEvidence
  readonly audit: AuditReads
  /** The newest checkpoint, outside the ledger. */
  readonly checkpointFile: CheckpointFile
  /** The newest entries that this node has seen, outside the ledger; only if several nodes share it. */
  readonly seen?: SeenEntries
  /** The same ledger, below all wrappers that report changes. */
  readonly quiet: Ledger
  readonly scrub: () => Promise<void>
  readonly tail: OwnTail
  readonly journal: Journal
  readonly liveness: Liveness
  readonly notices: Notices
  readonly changeNumbers: ChangeNumbers
  readonly artifacts: Artifacts
  readonly servers: ToolServers
  readonly offerings: Offerings
  readonly logins: ServerLogins
  readonly serverReports: () => readonly ServerReport[]
  readonly retryServer: (server: string) => Promise<void>
  /** Resolves when every server has listed its tools once or failed to, or a few seconds after the start. */
  readonly firstListing: () => Promise<void>
  readonly catalogue: LiveCatalogue
  readonly live: LivePolicy
  readonly policy: DispatchDeps['policy']
  readonly holdFor: DispatchDeps['holdFor']
  /** What is known about well-known tool servers. */
  readonly packs: readonly KnownPack[]
  readonly serverSettings: () => Config['servers']
  /** Who is asked about which calls. */
  readonly routes: Routes
  readonly pendingLimits: DispatchDeps['pendingLimits']
  readonly keys: LiveKeys
  readonly rotate: RotateDeps['rotate']
  readonly issuers: Issuers
  readonly passphrases: Passphrases
  readonly passkeys: Passkeys
  readonly webPush: WebPush
  readonly strong: 'role' | 'passphrase'
  readonly tokensCountAs: 'simple' | 'strong'
  readonly otherApprovers: readonly string[] | 'unknown'
  readonly newKey: (kind: CallerKind) => string
  readonly digest: Digest
  readonly digestBytes: (hex: string) => string
  readonly clock: Clock
  readonly ids: Ids
  readonly intake: Intake
  readonly probe: Probe
  readonly links: Links
  /** Aborted when the gate accepts no more calls. */
  readonly stopping: AbortSignal
  readonly documents: Documents
  readonly secretValue: SecretValue
  /** A variable of the environment that documents may name. */
  readonly environment: (name: string) => string | undefined
  readonly zoneOffset: (zone: string, at: number) => number | undefined
  readonly isSameText: (one: string, other: string) => boolean
  readonly hmacHex: (secret: string, text: string) => string
  /** Who may send messages to the gate, by the name of the transport. */
  readonly incoming: ReadonlyMap<string, WebhookKey>
  readonly channels: readonly Channel[]
  readonly callbacks: ReadonlyMap<string, CallbackSource>
  readonly rooms: readonly ChatRoom[]
  /** For a node: where its approvals are decided. */
  readonly hub: AttachedHub | undefined
  readonly hubFault: HubEffectDeps['hubFault']
  readonly wakeHub: () => void
  readonly nonce: () => string
  /** The keys with which this gate signs for its own nodes. */
  readonly hubKeys: HubKeys
  /** Through which nodes reach this hub, besides HTTP. */
  readonly nodeRoom: NodeRoom | undefined
  readonly onUndelivered: (channel: string, delivery_id: string, attempt: number) => void
  readonly after: (ms: number, callback: () => void) => () => void
  readonly persist: (attempt: () => Promise<boolean>) => void
}
