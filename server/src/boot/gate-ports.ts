import type { LiveCatalogue } from '../commands/catalogue/catalogue.ts'
import type { Links } from '../commands/calls/describe-call.ts'
import type { Judgement } from '../commands/calls/facts/load-judgement.ts'
import type { ServerReport } from '../commands/catalogue/server-report.ts'
import type { FactsDeps } from '../commands/calls/gather-facts.ts'
import type { Intake } from '../commands/calls/intake.ts'
import type { PolicyStore } from '../commands/policy/put-policy.ts'
import type { LivePolicy } from '../commands/policy/live-policy.ts'
import type { CheckpointFile, OwnTail, SeenEntries } from '../commands/ports/audit.ts'
import type { Artifacts } from '../commands/ports/artifacts.ts'
import type { CallbackSource, Channel, WebPush } from '../commands/ports/channels.ts'
import type { FlowPolicySource } from '../commands/ports/flow-policy.ts'
import type { ChatRoom } from '../commands/ports/chat.ts'
import type { HealthEvidence } from '../commands/ports/health.ts'
import type { AttachedHub, HubKeys, NodeRoom } from '../commands/ports/hub.ts'
import type { HubEffectDeps } from '../commands/node/hub-effects.ts'
import type { RotateDeps } from '../commands/identity/rotate-keys.ts'
import type { Issuers, OidcLogins, Passkeys, Passphrases, WebhookKey } from '../commands/ports/keys.ts'
import type { OwnServer } from '../commands/judgements/judge-tool-use.ts'
import type { Ledger } from '../commands/ports/ledger.ts'
import type { ServerLogins } from '../commands/ports/logins.ts'
import type { AgentModels, ArgumentModel } from '../commands/ports/models.ts'
import type { Accounts, AuditReads, Journal, Searches, Tables } from '../commands/ports/reads.ts'
import type { YieldWhenDue, Clock, Digest, Ids, Probe } from '../commands/ports/runtime.ts'
import type { Offerings, ToolServers } from '../commands/ports/upstream.ts'
import type { FileFacts } from '../commands/calls/facts/file-facts.ts'
import type { SearchHabits } from '../commands/catalogue/search-habits.ts'
import type { SemanticSearch } from '../commands/catalogue/semantic-search.ts'
import type { Sessions } from '../commands/provenance/sessions.ts'
import type { SecretValue } from '../commands/calls/call-secrets.ts'
import type { Documents } from '../commands/workflows/documents.ts'
import type { ChangeNumbers } from '../commands/changes/changes-in.ts'
import type { Doubts } from '../commands/changes/settle-doubts.ts'
import type { DoctorAnswer } from '../contract/answers.ts'
import type { CallerKind } from '../contract/caller.ts'
import type { FlowSettings } from '../contract/flows.ts'
import type { AgentSettings } from '../contract/agent.ts'
import type { SettingsInForce } from '../commands/gate.ts'
import type { ToolflowSettings } from '../contract/toolflow.ts'
import type { RunOutput } from '../commands/runs/run-output.ts'
import type { Counts } from '../commands/ports/counts.ts'
import type { RunJobs } from '../commands/ports/jobs.ts'
import type { RunId } from '../contract/ids.ts'
import type { Liveness } from '../commands/ports/liveness.ts'
import type { Notices } from '../commands/ports/notices.ts'
import type { Config } from '../contract/config.ts'
import type { KnownPack } from '../commands/catalogue/load-packs.ts'
import type { Routes } from '../commands/approvals/load-routes.ts'
import type { DispatchDeps } from '../commands/calls/dispatch-call.ts'
import type { LiveKeys } from './open-data-folder.ts'

/** All ports that the commands need, opened. */
export type GatePorts = {
  readonly version: string
  readonly stream: string
  readonly boot: string
  readonly ledger: Ledger
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
  readonly meaning?: SemanticSearch
  /** What each session has read. */
  readonly sessions: Sessions
  /** What callers' searches lead to, if learning is on. Not for the toolflow: there only the words decide. */
  readonly learning?: SearchHabits
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
