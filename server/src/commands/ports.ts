import type { Answerable } from '../contract/asks.ts'
import type { ApprovalRow } from '../contract/approval.ts'
import type { AuditDraft, AuditEntry, Checkpoint } from '../contract/audit.ts'
import type { OidcIssuer } from '../contract/auth-settings.ts'
import type { Caller, CredentialRow } from '../contract/caller.ts'
import type { ChannelEvent } from '../contract/channels.ts'
import type { CallRow, ToolResult } from '../contract/call.ts'
import type { ConsentRow } from '../contract/consent.ts'
import type { HabitsRow } from '../contract/habits.ts'
import type { ApprovalId, CallId, ConsentId, KeyId, RunId, Sha256 } from '../contract/ids.ts'
import type { Json, JsonObject } from '../contract/json.ts'
import type { PassphraseRow, SealedPassphrase } from '../contract/passphrase.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Problem, Result } from '../contract/problems.ts'
import type { RunEvent, RunRow } from '../contract/run.ts'
import type { SessionRow } from '../contract/session.ts'
import type { GateWord } from '../contract/serenity.ts'
import type { ListingFinding } from '../contract/tool-bounds.ts'
import type { ServerRow, Tool, ToolDefinition, ToolRow } from '../contract/tool.ts'
import type { LookAlike } from '../core/catalogue/look-alike.ts'
import type { ChannelMessage } from './channels/channel-message.ts'

// ---------------------------------------------------------------- the ledger: the one write port

/** Every kind of row, by table. A row is one JSON value with a version beside it. */
export type Rows = {
  calls: CallRow
  approvals: ApprovalRow
  consents: ConsentRow
  runs: RunRow
  tools: ToolRow
  servers: ServerRow
  pauses: PauseRow
  credentials: CredentialRow
  checkpoints: Checkpoint
  passphrases: PassphraseRow
  habits: HabitsRow
  sessions: SessionRow
}
export type Table = keyof Rows

/** The fields by which rows of a table can be listed, all of them texts. Engines keep an index for each. */
export const LISTED_BY = {
  calls: ['state', 'idempotency_key', 'identity', 'due', 'task_of', 'ended_day'],
  approvals: ['state', 'identity'],
  consents: ['shelf'],
  runs: ['status', 'kind', 'owner', 'thread', 'parent', 'waits_for', 'ended_day'],
  tools: ['server'],
  servers: [],
  pauses: [],
  credentials: ['key_hash'],
  checkpoints: [],
  passphrases: [],
  habits: [],
  sessions: [],
} as const satisfies { [T in Table]: readonly (keyof Rows[T])[] }

/** 1 for a row's first version; each swap adds one. */
export type Version = number

export type Swap = {
  [T in Table]: { kind: 'swap'; table: T; id: string; from: Version | 'absent'; to: Rows[T] }
}[Table]

export type Change =
  | Swap
  /** Nothing is written, but the row must still be at this version. */
  | { kind: 'expect'; table: Table; id: string; version: Version | 'absent' }
  /** A nonce, a delivery id: insert or lose. May be forgotten after `until`. */
  | { kind: 'once'; key: string; until: number }
  /** Open an account with units to spend; lost when it exists. May be forgotten after `until`. */
  | { kind: 'open'; account: string; units: number; until?: number }
  /** Take units, or give some back when negative; lost when fewer than `least` (0) would be left or there is no such account. */
  | { kind: 'spend'; account: string; units: number; least?: number }
  /** Append to a run's journal. */
  | { kind: 'event'; run: RunId; event: RunEvent }
  /** Make the run go on: now, or not before `at`. */
  | { kind: 'wake'; run: RunId; at?: number }
  /** Replace the run's wake-ups by one at `next`, or by none; lost when the run has events after `cursor`. */
  | { kind: 'rest'; run: RunId; cursor: number; next?: number }
  /** Remove a run's journal up to `through`. */
  | { kind: 'forget'; run: RunId; through: number }
  /** Append to the audit. Stream, sequence and previous hash are assigned inside the commit. */
  | { kind: 'audit'; entry: AuditDraft }

/** Names a commit whose answer was lost, to ask about it later. Only the engine that gave it understands it. */
export type CommitId = string
export type InDoubt = { readonly in_doubt: CommitId }

/**
 * What became of a commit.
 * `lost` names the first change whose expectation no longer held: reload, decide again.
 * `unavailable`: nothing of it is stored and nothing may be done that depends on it.
 */
export type Settled = 'committed' | 'unavailable' | { readonly lost: number }
/** `in_doubt`: the engine went away before it answered. It may be stored or not, and nothing may be done that depends on either. */
export type Committed = Settled | InDoubt

export interface Ledger {
  /** All or nothing, durable on return. Never throws for what a disk or a neighbour can do. */
  commit(changes: readonly Change[]): Promise<Committed>
}

/** What an engine says later about commits that it left in doubt. */
export interface Outcomes {
  /**
   * `in_doubt` while it is not known. Any other answer is final: it stays the same however often it is asked, and after a crash.
   */
  outcome(id: CommitId): Promise<Settled | 'in_doubt'>
}

// ---------------------------------------------------------------- reads: small roles beside it

export type Held<T extends Table> = { readonly version: Version; readonly row: Rows[T]; readonly cursor: number }
export type Where<T extends Table> = {
  readonly [Field in (typeof LISTED_BY)[T][number] & keyof Rows[T]]?: Rows[T][Field]
}
/**
 * `after` is a `cursor` of the page before; order is by first insertion.
 * INVARIANT: rows become visible in the order of their cursors. Once a reader has seen a row, no row with a smaller cursor
 * appears, so a reader that goes on after the last cursor it saw misses nothing. A single writer has this for free. An engine
 * with several writers must not take a cursor from a sequence at insertion, because a transaction that took its number early may
 * commit late: it assigns cursors one commit at a time (a lock held until the commit), or withholds rows behind an open one.
 * The same holds for the numbers of a run's events.
 */
export type Page = { readonly limit: number; readonly after?: number; readonly newest_first?: boolean }

export interface Shelves {
  row<T extends Table>(table: T, id: string): Promise<Held<T> | undefined>
  list<T extends Table>(table: T, where: Where<T>, page: Page): Promise<readonly Held<T>[]>
  count<T extends Table>(table: T, where: Where<T>): Promise<number>
}

export interface Accounts {
  /** The units left; undefined when there is no such account. */
  left(account: string): Promise<number | undefined>
}

export interface AuditReads {
  /** Entries of one stream in order, as stored: a broken one is returned as it is, for `verify` to judge. */
  entries(stream: string, from: number, limit: number): Promise<readonly AuditEntry[]>
  /** What the store believes the last entry of each stream to be. */
  heads(): Promise<readonly { stream: string; seq: number; hash: Sha256 }[]>
}

/** A wake-up; 0 is the time of one that is due at once. */
export type DueRun = { readonly run: RunId; readonly at: number }

export interface Journal {
  events(run: RunId, after: number, limit: number): Promise<readonly { seq: number; event: RunEvent }[]>
  /** Runs with a wake-up that is due at `now`, the longest due first, after the last one of the page before. */
  due(now: number, limit: number, after?: DueRun): Promise<readonly DueRun[]>
  /** When the next wake-up after `now` is due. */
  nextDue(now: number): Promise<number | undefined>
  /** Called after a commit that holds a `wake` is durable. Embedded: in this process only. */
  onWake(listener: (run: RunId, at: number | undefined) => void): void
}

/** Content-addressed output, per owner. A pointer is a digest and never becomes a path by concatenation. */
export interface Artifacts {
  /** Undefined when it could not be stored. */
  put(owner: string, text: string): Promise<Sha256 | undefined>
  /** `expired`: it was there, and was removed. */
  read(
    owner: string,
    digest: Sha256,
    from: number,
    length: number,
  ): Promise<{ text: string; size: number } | 'expired' | undefined>
  /** Removes the texts of all that were stored before, of every owner. Returns how many. */
  expire(before: number): Promise<number>
  /** Removes the texts of all that an owner has. Returns how many. */
  erase(owner: string): Promise<number>
}

// ---------------------------------------------------------------- the world

export type Clock = () => number

export interface Ids {
  call(): CallId
  approval(): ApprovalId
  consent(): ConsentId
  run(): RunId
  key(): KeyId
  trace(): string
}

export type Digest = (text: string) => Sha256

/** The tools as the gate knows them, also while their servers are away. */
export interface Catalogue {
  tool(tool_id: string): Tool | undefined
  tools(): readonly Tool[]
  /** Admitted tools of other servers that this one can be taken for. Known already: asking costs nothing. */
  lookAlikes(tool_id: string): readonly LookAlike[]
}

/** Between two pieces of long work: returns at once, or lets everybody else run first when this piece has taken long enough. */
export type Breathe = () => Promise<void>

/** Fills a tool's arguments from what a user wrote. What it says is data, checked by whoever asked. */
export interface ArgumentModel {
  /** Undefined when it gave no JSON in time. */
  propose(asked: {
    readonly title: string
    readonly purpose: string
    readonly schema: JsonObject
    readonly prompt: string
  }): Promise<Json | undefined>
}

/** A health file as it lies in the folder. Without a text it cannot be used, and `fault` says why. The same value while unchanged. */
export type HealthFile = {
  readonly name: string
  readonly changed_at: number
  readonly text?: string
  readonly fault?: string
}

/** Somebody of the operator's own who is asked about a call. Undefined when there is no answer in time. */
export type HealthProvider = {
  readonly source: string
  ask(question: JsonObject): Promise<Json | undefined>
}

/** What the `serenity` section leads to. */
export interface HealthEvidence {
  /** Undefined when the folder cannot be read. */
  files(): Promise<readonly HealthFile[] | undefined>
  readonly gate?: HealthProvider
  readonly risk?: HealthProvider
  readonly max_age_ms: number
  /** Only in test mode. */
  readonly forced?: GateWord
}

/** How far a tool says it has come, in its own units. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** What binds a call to whoever waits for it. Gone is gone: a call that is held outlives it. */
export type Live = {
  /** Cancels the call, in the tool server too. What may have run by then is `unknown`. */
  readonly signal?: AbortSignal
  /** Told as the tool says it, at most so often; never after the call's end. */
  readonly onProgress?: (progress: Progress) => void
  /** A line for a log, about this call and no other; rationed too. */
  readonly onLog?: (line: JsonObject) => void
  /** Told once, when the call is recorded as running, before it is sent. */
  readonly onStarted?: (call_id: CallId) => void
}

export type UpstreamCall = Omit<Live, 'onStarted'> & {
  readonly server: string
  readonly tool: string
  /** The bytes that were hashed are the bytes that are sent. */
  readonly canonical_args: string
  /** The answers to what the tool asked before: a part of the same arguments, sent apart. */
  readonly inputs?: { readonly canonical_responses: string; readonly state?: string }
  readonly answerable?: Answerable
  readonly idempotency_key: string
  readonly trace: string
  /** The span this call is in, where somebody traces. */
  readonly span?: string
}

/** `not_sent`: known not to have run. `lost`: sent, and nobody knows what became of it. */
export type UpstreamReply<T> =
  /** `unredacted`: the same before redaction, for the preview that an approver may reveal; it is stored nowhere else. */
  | { readonly is: 'answered'; readonly result: T; readonly unredacted?: T }
  | { readonly is: 'rejected'; readonly error: JsonObject }
  | { readonly is: 'not_sent'; readonly problem: Problem }
  | { readonly is: 'lost'; readonly problem: Problem }
export type UpstreamAnswer = UpstreamReply<ToolResult>

export interface ToolServers {
  call(call: UpstreamCall): Promise<UpstreamAnswer>
}

/** A question to a server about something else than its tools. */
export type UpstreamQuestion = Live & {
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  readonly trace: string
  readonly answerable?: Answerable
}

/** What a server said unasked. */
export type Notice = { readonly server: string; readonly method: NoticeMethod; readonly params: JsonObject }
export const NOTICE_METHODS = [
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/prompts/list_changed',
] as const
export type NoticeMethod = (typeof NOTICE_METHODS)[number]

/** A resource that is watched until it is stopped, or why it is not. */
export type Watched =
  { readonly is: 'watching'; stop(): void } | Exclude<UpstreamReply<never>, { readonly is: 'answered' }>

/** What tool servers have besides tools: resources, prompts, completions. */
export interface Offerings {
  /** Each server as it introduced itself, last time if it is away now; nothing of one that never did. */
  offers(): readonly { readonly server: string; readonly capabilities: JsonObject }[]
  /** Asked within the server's own limits of time, size and number. */
  ask(question: UpstreamQuestion): Promise<UpstreamReply<JsonObject>>
  /** Has a server tell, by notices, when a resource is another one; also after its restart, when nobody knows whether it is. */
  watch(server: string, uri: string): Promise<Watched>
  /** Returns how to stop listening. */
  onNotice(listener: (notice: Notice) => void): () => void
}

/** Hears what a connected server offers: at the first listing and again whenever it changes. */
export type ToolsListed = (
  server: string,
  definitions: readonly ToolDefinition[],
  /** What was cut or left out of the list on the way. */
  findings?: readonly ListingFinding[],
) => Promise<void>

// ---------------------------------------------------------------- people elsewhere

export interface Channel {
  readonly name: string
  readonly events: readonly ChannelEvent[]
  /** One attempt. `stopping`: not sent, because the gate stops. Never throws. */
  send(message: ChannelMessage): Promise<'delivered' | 'failed' | 'stopping'>
}

/** What comes back from a channel, and whose word it is. */
export type CallbackSource = { readonly key: WebhookKey; readonly approver: Caller }

// ---------------------------------------------------------------- keys

/** Signs and checks `id.seconds.body`, as Standard Webhooks does. */
export interface WebhookKey {
  sign(id: string, seconds: number, body: string): string
  /** Whether one of the signatures in the header fits. */
  isGenuine(id: string, seconds: number, body: string, header: string): boolean
}

/** What an approval token is bound to; every field is signed. */
export type TokenClaims = {
  readonly approval_id: ApprovalId
  readonly tool_id: string
  readonly definition_hash: Sha256
  readonly args_hash: Sha256
  readonly thread: string
  readonly user: string
  readonly expires_at: number
}

export interface TokenKeys {
  /** `v1.<unix seconds>.<nonce>.<mac>`, made with the active key. */
  mint(claims: TokenClaims, now: number): string
  /** Whether the MAC of a well-formed token fits these claims under the active or the previous key. */
  isGenuine(
    token: { readonly seconds: number; readonly nonce: string; readonly mac: string },
    claims: TokenClaims,
  ): boolean
}

export interface Passphrases {
  seal(passphrase: string): Promise<SealedPassphrase>
  /** Compares in a time that does not depend on what is compared. */
  fits(sealed: SealedPassphrase, passphrase: string): Promise<boolean>
}

/** Whoever else may say who somebody is. */
export interface Issuers {
  /** The claims of a token that is genuine, for us and in its time, and the settings of the issuer that made it. */
  claimsOf(
    token: string,
  ): Promise<Result<{ readonly issuer: OidcIssuer; readonly claims: Readonly<Record<string, unknown>> }>>
}

/** A named point between two durable facts. Does nothing in the product; crash tests stop the process there. */
export type Probe = (point: ProbePoint) => void
export const PROBE_POINTS = [
  'check.before',
  'intent.before',
  'intent.after',
  'upstream.before',
  'upstream.after',
  'outcome.before',
  'outcome.after',
  'verify.before',
  'verify.after',
  'decision.before',
  'decision.after',
  'step.before',
  'step.after',
] as const
export type ProbePoint = (typeof PROBE_POINTS)[number]
