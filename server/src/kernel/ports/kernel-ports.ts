import type { TableEntry } from '../changes/table-entry.ts'
import type { CallbackSource, Channel } from '../approvals/channels-use.ts'
import type { ApprovalRoutes } from '../approvals/routes/routes.ts'
import type { Links } from '../attempt/describe-call.ts'
import type { AskedDeps } from '../attempt/asked.ts'
import type { Intake } from '../attempt/intake.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { ServerReport } from '../catalogue/server-report.ts'
import type { ChangeNumbers } from '../changes/changes-in.ts'
import type { Doubts } from '../changes/resolve-doubts.ts'
import type { DoctorAnswer } from '../contract/answers.ts'
import type { CallerKind } from '../contract/caller.ts'
import type { Config } from '../contract/config.ts'
import type { RunId } from '../contract/ids.ts'
import type { RotatePorts } from '../identity/rotate-keys.ts'
import type { LivePolicy } from '../policy/live-policy.ts'
import type { PolicyStore } from '../policy/put-policy.ts'
import type { RunKinds } from '../runs/performer.ts'
import type { RunOutput } from '../runs/run-output.ts'
import type { Sessions } from './sessions.ts'
import type { Artifacts } from './artifacts.ts'
import type { CheckpointFile, CheckpointKeys, OwnTail, SeenEntries } from './audit.ts'
import type { ChatRoom } from './chat.ts'
import type { Counts } from './counts.ts'
import type { RunJobs } from './jobs.ts'
import type { Issuers, OidcLogins, Passkeys, Passphrases, TokenKeys } from './keys.ts'
import type { FileFacts } from './files.ts'
import type { DecidedElsewhere } from './decided-elsewhere.ts'
import type { Ledger } from './ledger.ts'
import type { Liveness } from './liveness.ts'
import type { MakeSentence } from './make-sentence.ts'
import type { Notices } from './notices.ts'
import type { Accounts, AuditReads, Journal, Searches, Tables } from './reads.ts'
import type { YieldWhenDue, Clock, Digest, Ids, Probe } from './runtime.ts'
import type { Offerings, ToolServers } from './upstream.ts'
import type { Judgement } from '../decide/judging.ts'

/** What this gate was started with. */
export type SettingsInForce = {
  /** The configuration. */
  readonly file: string
  /** A digest of each section that takes effect only after a restart. */
  readonly sections: Readonly<Record<string, string>>
  /** Guests that protect calls and that this build does not have. */
  readonly missing_guards?: readonly string[]
}

/** What every gate has, whichever guests it has. */
export interface KernelPorts {
  readonly version: string
  readonly stream: string
  readonly boot: string
  readonly ledger: Ledger
  readonly kinds: RunKinds
  readonly tableEntries: readonly TableEntry[]
  readonly doubts: Doubts
  readonly tables: Tables
  readonly searches: Searches
  readonly accounts: Accounts
  readonly judgement: Judgement
  readonly files: FileFacts
  readonly yieldWhenDue: YieldWhenDue
  readonly isVolatileFull: () => boolean
  /** Whether the contents of this run are only in the memory of this node. */
  readonly isVolatile: (run: RunId) => boolean
  readonly counts: Counts
  /** Set if several nodes share the store. */
  readonly jobs?: RunJobs
  readonly oidcLogins: OidcLogins
  readonly policyStore: PolicyStore
  readonly doctor: () => Promise<DoctorAnswer>
  /** Tokens are printed into threads: in development only. */
  readonly showsTokens: boolean
  readonly shown: RunOutput
  readonly settings: SettingsInForce
  /** What each session has read. */
  readonly sessions: Sessions
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
  readonly serverReports: () => readonly ServerReport[]
  readonly retryServer: (server: string) => Promise<void>
  /** Resolves when every server has listed its tools once or failed to, or a few seconds after the start. */
  readonly firstListing: () => Promise<void>
  readonly catalogue: LiveCatalogue
  readonly live: LivePolicy
  readonly policy: AskedDeps['policy']
  readonly holdFor: AskedDeps['holdFor']
  readonly serverSettings: () => Config['servers']
  /** Describes a call to people. */
  readonly sentence: MakeSentence
  /** Who is asked about which calls. */
  readonly routes: ApprovalRoutes
  readonly pendingLimits: AskedDeps['pendingLimits']
  readonly keys: { readonly tokens: TokenKeys; readonly checkpoints: CheckpointKeys }
  readonly rotate: RotatePorts['rotate']
  readonly issuers: Issuers
  readonly passphrases: Passphrases
  readonly passkeys: Passkeys
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
  /** Set on a node. */
  readonly hub: DecidedElsewhere | undefined
  /** Aborted when the gate accepts no more calls. */
  readonly stopping: AbortSignal
  readonly channels: readonly Channel[]
  readonly callbacks: ReadonlyMap<string, CallbackSource>
  readonly rooms: readonly ChatRoom[]
  readonly onUndelivered: (channel: string, delivery_id: string, attempt: number) => void
  readonly after: (ms: number, callback: () => void) => () => void
  readonly persist: (attempt: () => Promise<boolean>) => void
}
