import type { ApprovalPacket, ApprovalRow, ApprovalState, RevealedPacket } from '../contract/approval.ts'
import type { AuditEntry, AuditProof, AuditReport, Checkpoint } from '../contract/audit.ts'
import type { Caller, CredentialRow } from '../contract/caller.ts'
import type { CallRequest, Outcome } from '../contract/call.ts'
import type { ConsentRow, ConsentTerms } from '../contract/consent.ts'
import type { Json } from '../contract/json.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Problem, Result } from '../contract/problems.ts'
import type { DefinitionReview } from '../contract/definition-review.ts'
import type { Tool } from '../contract/tool.ts'
import type { ToolflowAnswer, ToolflowBody, ToolflowView } from '../contract/toolflow.ts'
import type { StandardSentences } from '../core/gate/standard/describe-standard.ts'
import type { Changes } from './changes/changes.ts'
import type { NewCredential, ShownCredential } from './identity/credentials.ts'
import type { ApprovalDecision, DecidedApproval } from './approvals/decide-approval.ts'
import type { ArtifactHits, ArtifactQuery } from './artifacts/grep-artifact.ts'
import type { ConsentPage } from './consents/list-consents.ts'
import type { Refusal } from './audit/note-refusal.ts'
import type { NewPassphrase } from './identity/passphrase.ts'
import type { PauseOrder } from './policy/pause.ts'
import type { Policies } from './policy/policies.ts'
import type { PublicKey } from './ports/audit.ts'
import type { Page } from './ports/reads.ts'
import type { Live, Notice } from './ports/upstream.ts'
import type { Erased } from './retention/erase-user.ts'
import type { ProxyAnswer, ProxyRequest } from './proxy/proxy.ts'
import type { OnUpdated, WatchAnswer, WatchRequest } from './proxy/proxy-watch.ts'
import type { InboxPage, UnknownPage } from './approvals/read-approvals.ts'
import type { RunDetails, RunFilter, RunsPage, RunView } from './runs/read-run.ts'
import type { Card } from './catalogue/read-card.ts'
import type { CallTask, TasksPage } from './calls/read-task.ts'
import type { FoundTool } from './catalogue/search-tools.ts'
import type { RunToolflow } from './toolflow/run-toolflow.ts'
import type { Settlement } from './calls/settle-call.ts'
import type { Callback } from './channels/take-callback.ts'
import type { PresentedToken } from './approvals/tokens.ts'

/** What is written about one tool server, for operators. */
export type ServerReport = { readonly server: string; readonly state: string; readonly tools: number } & Readonly<
  Record<string, unknown>
>

/** The commands, bound to their ports: all that a door may ask for. Every one checks who is asking by itself. */
export interface Gate {
  /** Of this release. */
  readonly version: string
  authenticate(key: string): Promise<Result<Caller>>
  /** Records that somebody was turned away at a door. */
  noteRefusal(refusal: Refusal): Promise<void>
  dispatch(request: CallRequest, live?: Live): Promise<Outcome>
  readCall(caller: Caller, call_id: string, wait_ms?: number): Promise<Result<Outcome>>
  /** The call that this caller made under an idempotency key. */
  readCallByKey(caller: Caller, key: string, wait_ms?: number): Promise<Result<Outcome>>
  /** A call that its maker follows as a task: as it stands, or once it is over while somebody waits. */
  readTask(caller: Caller, call_id: string, waiting?: AbortSignal): Promise<Result<CallTask>>
  listTasks(caller: Caller, page: Omit<Page, 'newest_first'>): Promise<TasksPage>
  cancelTask(caller: Caller, call_id: string): Promise<Result<CallTask>>
  settleCall(caller: Caller, call_id: string, as: Settlement): Promise<Result<Outcome>>
  withdrawCall(caller: Caller, call_id: string): Promise<Result<ApprovalRow>>
  listUnknown(caller: Caller, page: Page): Promise<Result<UnknownPage>>

  listApprovals(caller: Caller, state: ApprovalState | undefined, page: Page): Promise<InboxPage>
  readApproval(caller: Caller, approval_id: string): Promise<Result<ApprovalPacket>>
  /** What redaction hides of a request; audited. */
  revealApproval(caller: Caller, approval_id: string): Promise<Result<RevealedPacket>>
  decideApproval(caller: Caller, approval_id: string, decision: ApprovalDecision): Promise<Result<DecidedApproval>>
  editApproval(caller: Caller, approval_id: string, args: Json, digest?: string): Promise<Result<ApprovalRow>>
  issueToken(caller: Caller, approval_id: string): Promise<Result<string>>
  redeemToken(caller: Caller, presented: PresentedToken): Promise<Result<ApprovalRow>>

  listRuns(caller: Caller, filter: RunFilter, page: Page): Promise<RunsPage>
  readRun(caller: Caller, run_id: string, page: Page): Promise<Result<RunDetails>>
  cancelRun(caller: Caller, run_id: string, reason?: string): Promise<Result<RunView>>
  resumeRun(caller: Caller, run_id: string): Promise<Result<RunView>>
  /** Takes an idempotency key for a request that is not a call. */
  claimKey(caller: Caller, key: string): Promise<Result<'first' | 'taken'>>
  /** A decision that came back through a channel; its signature says whose it is. */
  takeCallback(callback: Callback): Promise<Result<DecidedApproval>>

  /** Search, choose, judge and run, as one durable flow. */
  runToolflow(caller: Caller, body: ToolflowBody, more?: RunToolflow): Promise<Result<ToolflowView>>
  readToolflow(caller: Caller, run_id: string, wait_ms?: number): Promise<Result<ToolflowView>>
  /** The flow that this caller started under an idempotency key. */
  readToolflowByKey(caller: Caller, key: string, wait_ms?: number): Promise<Result<ToolflowView>>
  resumeToolflow(
    caller: Caller,
    run_id: string,
    answer: ToolflowAnswer,
    wait_ms?: number,
  ): Promise<Result<ToolflowView>>

  mintConsent(caller: Caller, terms: ConsentTerms, passphrase?: string): Promise<Result<ConsentRow>>
  listConsents(caller: Caller, page: Page): Promise<ConsentPage>
  revokeConsent(caller: Caller, consent_id: string): Promise<Result<ConsentRow>>

  /** The tools of which any call of this caller could be anything but blocked by policy; whoever oversees sees all. */
  tools(caller: Caller): readonly Tool[]
  /** The same, by id. */
  tool(caller: Caller, tool_id: string): Tool | undefined
  /** Found are only tools that `tools` lists and their servers offer. */
  search(caller: Caller, query: string, top_k?: number): Promise<Result<readonly FoundTool[]>>
  /** Stands while search goes by words alone although a model for meaning is configured. */
  searchNotice(): string | undefined
  /** Resources, prompts and completions of tool servers. */
  proxy(caller: Caller, request: ProxyRequest): Promise<ProxyAnswer>
  /** Tells when a resource is another one, for as long as the caller may read it; until it is stopped. */
  watch(caller: Caller, request: WatchRequest, onUpdated: OnUpdated): Promise<WatchAnswer>
  /** What there is besides tools: `resources`, `resources/subscribe`, `prompts`, `completions`, `logging`. */
  offers(): ReadonlySet<string>
  /** What servers say of their resources and prompts, as far as the caller may list them. Returns how to stop. */
  onNotice(caller: Caller, listener: (notice: Notice) => void): () => void
  /** How a tool is executed: rollback, check and read-back, and what of it is missing. */
  standardOf(tool: Tool): StandardSentences
  card(caller: Caller, tool_id: string, full: boolean): Result<Card>
  /** The admitted and the listed definition side by side, for those who may admit or approve. */
  reviewTool(caller: Caller, tool_id: string): Result<DefinitionReview>
  admitTool(caller: Caller, tool_id: string, definition_hash: string): Promise<Result<void>>
  servers(): readonly ServerReport[]
  artifact(
    caller: Caller,
    digest: string,
    from: number,
    length: number,
  ): Promise<Result<{ text: string; size: number }>>
  grepArtifact(caller: Caller, digest: string, query: ArtifactQuery): Promise<Result<ArtifactHits>>
  /** Which of two ways to show the tools costs a model less to read; `own` is the text of what takes their place. */
  smallerSurface(caller: Caller, own: string): 'search' | 'passthrough'

  setPause(caller: Caller, order: PauseOrder): Promise<Result<PauseRow>>
  listPauses(): Promise<readonly PauseRow[]>
  createCredential(caller: Caller, wanted: NewCredential): Promise<Result<{ key: string; row: CredentialRow }>>
  revokeCredential(caller: Caller, key_id: string): Promise<Result<CredentialRow>>
  /** For strong approvals, of the caller's own. */
  setPassphrase(caller: Caller, wanted: NewPassphrase): Promise<Result<void>>
  clearPassphrase(caller: Caller, user: string): Promise<Result<void>>
  rotateKeys(caller: Caller, which: 'token' | 'checkpoint'): Promise<Result<void>>
  listCredentials(caller: Caller): Promise<Result<readonly ShownCredential[]>>

  readonly policies: Policies

  /** Tells of calls, approvals, tools, pauses and policies as they change, as far as the caller may see them. Returns how to stop. */
  onChange: Changes['onChange']
  changesAfter: Changes['changesAfter']
  newestChange: Changes['newest']

  auditPage(stream: string | undefined, from: number, limit: number): Promise<readonly AuditEntry[]>
  verifyAudit(against: readonly Checkpoint[]): Promise<AuditReport>
  exportAudit(since: number, format: 'jsonl' | 'csv'): AsyncIterable<string>
  proveEntry(stream: string | undefined, seq: number): Promise<Result<AuditProof>>
  presentCheckpoint(): Promise<Result<Checkpoint | undefined>>
  /** Goes on from a broken audit: signs what is there as found, with the reason. */
  /** Removes one person's arguments, outputs and artifacts now. */
  eraseUser(caller: Caller, wanted: { user: string; withdraw: boolean }): Promise<Result<Erased>>
  acceptBreak(caller: Caller, reason: string): Promise<Result<Checkpoint>>
  /** The keys that checkpoints are verified with. */
  checkpointKeys(): readonly PublicKey[]

  /** Undefined when calls are taken. */
  closedBy(): Problem | undefined
}
