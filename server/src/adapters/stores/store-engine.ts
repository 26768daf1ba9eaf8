import type { OwnTail } from '../../kernel/ports/audit.ts'
import type { Artifacts } from '../../kernel/ports/artifacts.ts'
import type { Counts } from '../../kernel/ports/counts.ts'
import type { RunJobs } from '../../kernel/ports/jobs.ts'
import type { Liveness } from '../../kernel/ports/liveness.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import type { Change, Ledger, CommitResults } from '../../kernel/ports/ledger.ts'
import type { Accounts, AuditReads, Journal, Searches, Tables } from '../../kernel/ports/reads.ts'
import type { AuditBroken } from '../../kernel/contract/audit.ts'
import type { Tail } from './batch-link.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { RowKey } from './row-mac.ts'
import type { OnForged } from './stored-values.ts'

/** A database that several nodes share, and their schema in it. */
export type PostgresSettings = { readonly url: string; readonly schema: string }

/** Which store is meant: the one in this data folder, or a database. Then the folder contains what belongs to this node alone. */
export type StoreSettings = {
  readonly folder: string
  readonly postgres?: PostgresSettings
  /** Redis beside the database: notices, and single-use keys that are known to be used. */
  readonly redis?: { readonly url: string }
  /** The secret that protects the keys in the database; empty if it is configured and missing. */
  readonly key_secret?: string
  /** Where the key for contents comes from, if configured; `false` if contents are not sealed. */
  readonly seal?:
    | false
    | { readonly file: string }
    | { readonly command: readonly [string, ...string[]] }
    | { readonly untrusted: string }
}

/** Seals a text for a place, and opens it there again. */
export type Sealer = { seal(text: string, place: string): string; open(sealed: string, place: string): string }

export type StoreSetup = StoreSettings & {
  /** Seals contents before they are stored; without it they are stored in plain form. */
  readonly sealer?: Sealer | undefined
  /** The audit stream that this process appends to. */
  readonly stream: string
  /** Which boot this is; what a boot commits after it was declared dead is not stored. */
  readonly boot?: string
  /** This process drives runs, so its wake-ups become jobs for all nodes. */
  readonly drives?: boolean
  /** The key of the MACs that every row has, stored beside the keys. */
  readonly rows: RowKey
  /** Called for rows that this gate did not write, each time one is found. They are not returned. */
  readonly onForged?: OnForged
  /** Nobody else appends to the stream while this is open. Embedded: nobody else writes at all, so the engine may cache reads. */
  readonly alone?: boolean
  /** The script of the writing thread; crash tests use one that dies. */
  readonly script?: URL | undefined
  /** Called with the reason why commits are `unavailable`. The store tries again with the next commit. */
  readonly onFault: (error: Error) => void
  /** Called when the stored audit stream is not the one that this process wrote. */
  readonly onDiverged?: (found: Omit<AuditBroken, 'at'>) => void
  /** The newest entry that an earlier process of this folder is known to have stored, from beside the keys. */
  readonly floor?: Tail | undefined
  /** A file that gets the newest entry after each group of commits, before they are answered (embedded). */
  readonly noteFile?: string | undefined
  /** Called with the end of the stream after each batch of commits (Postgres). */
  readonly onTail?: ((tail: Tail) => void) | undefined
  /** Whether the gate is closed because the audit is broken. On Postgres the single-use keys are compared in the background then. */
  readonly isBroken?: (() => boolean) | undefined
  /** Asked for each commit just before it is sent: one that is refused is `unavailable`. */
  readonly refuses?: ((changes: readonly Change[]) => boolean) | undefined
}

/** Everything that is stored, as ports. Only this folder knows the engine behind them. */
export type Store = {
  readonly ledger: Ledger & CommitResults
  readonly tables: Tables
  readonly searches: Searches
  readonly accounts: Accounts
  readonly audit: AuditReads
  readonly tail: OwnTail
  readonly journal: Journal
  readonly artifacts: Artifacts
  readonly counts: Counts
  /** If several nodes share the store: wake-ups as jobs that any of them may take. */
  readonly jobs?: RunJobs
  /** Overwrites what is left of deleted texts in the store's files. */
  scrub(): Promise<void>
  /** Waits for the commits in progress; later ones are `unavailable`. */
  close(): Promise<void>
}

/** This process as one of the nodes that share the store. */
export type StoreMember = {
  readonly notices: Notices
  readonly liveness: Liveness
  /** The audit stream that this node appends to. Nodes whose writers would queue behind each other have one each. */
  readonly stream: string
  /** From then on dead for the other nodes. */
  leave(): Promise<void>
}

export type JoinSetup = {
  /** Called once when the other nodes declared this boot dead. */
  readonly onOwnDeath: (why: string) => void
  /** Called with the reason why the lease of this boot could not be renewed. */
  readonly onFault: (error: Error) => void
  /** Called once when Redis is down; the database is used instead in the meantime. */
  readonly onRedisFault: (error: Error) => void
}

export type StoreState = { readonly bytes: number }

/** The keys that nodes share, as stored: encrypted, with the number of the change that made them. */
export type StoredKeyring = { readonly version: number; readonly body: string }
/** Gets what is stored, and says what is stored instead. */
export type KeyringWork<T> = (
  found: StoredKeyring | undefined,
) => Promise<Result<{ readonly store?: StoredKeyring | undefined; readonly value: T }>>

/** What open-store.ts needs from an engine. */
export type StoreEngine = {
  open(setup: StoreSetup): Promise<Result<Store>>
  join(settings: StoreSettings, setup: JoinSetup): Promise<Result<StoreMember>>
  state(settings: StoreSettings): Promise<Result<StoreState | undefined>>
  needsMigration(settings: StoreSettings): Promise<boolean>
  hasRowMacs(settings: StoreSettings): Promise<boolean>
  openForReads(settings: StoreSettings, key: string, onForged: OnForged): Promise<OpenedForReads>
  /** Absent if one node has the store to itself. */
  withKeyring?<T>(settings: StoreSettings, work: KeyringWork<T>): Promise<Result<T>>
}
export type OpenedForReads = {
  readonly tables: Tables
  readonly audit: AuditReads
  readonly accounts: Accounts
  /** Whether the single-use keys are those that gates stored. Forged ones are reported. */
  hasAllKeys(): Promise<boolean>
  close(): Promise<void>
}
