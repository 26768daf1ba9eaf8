import { DECIDING_KINDS, type Caller, type CallerKind } from '../../kernel/contract/caller.ts'
import { problem, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { RunWorkflowBody, VersionView, WorkflowRunView } from './workflow.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import type { AdmitsInvitation, IncomingMessage, TakenMessage } from '../../kernel/ports/transports.ts'
import { admitsInvitation } from './admits-invitation.ts'
import { applyDocument, rollBack, type Applied, type ApplyDeps } from './apply-document.ts'
import { dryRun, type DryRun, type DryRunDeps } from './dry-run.ts'
import {
  diffVersions,
  listDocuments,
  listVersions,
  listWorkflowRuns,
  readVersion,
  readWorkflowRun,
  type DocumentDiff,
  type DocumentView,
  type ReadDocumentsDeps,
} from './read-documents.ts'
import { runDocument } from './run-document.ts'
import { takeWebhook, type EventDeps, type WebhookEvent } from './take-event.ts'
import { takeMessage } from './take-message.ts'
import { takeSigned, type SignedMessage } from './take-signed.ts'

export type WorkflowsDeps = ApplyDeps &
  ReadDocumentsDeps &
  EventDeps &
  DryRunDeps & { readonly incoming: ReadonlyMap<string, WebhookKey> }

type Versions = { readonly items: readonly VersionView[]; readonly next?: number }
type Runs = { readonly items: readonly WorkflowRunView[]; readonly next?: number }

/** Documents: specialized agents, their versions and their runs. */
export interface WorkflowsGate {
  apply(caller: Caller, text: string): Promise<Result<Applied>>
  /** To the version before the newest by default. */
  rollBack(caller: Caller, name: string, to?: number): Promise<Result<Applied>>
  list(caller: Caller): Promise<Result<readonly DocumentView[]>>
  versions(caller: Caller, name: string, page: Page): Promise<Result<Versions>>
  read(caller: Caller, name: string, version?: number): Promise<Result<VersionView & { readonly text: string }>>
  diff(caller: Caller, name: string, from?: number, to?: number): Promise<Result<DocumentDiff>>
  dryRun(
    caller: Caller,
    text: string,
    asked: { readonly protocol?: string | undefined; readonly input: Json },
  ): Promise<Result<DryRun>>
  run(
    caller: Caller,
    name: string,
    body: RunWorkflowBody,
    idempotency_key?: string,
  ): Promise<Result<{ readonly run_id: string }>>
  runs(caller: Caller, name: string, page: Page): Promise<Result<Runs>>
  readRun(caller: Caller, run_id: string, wait_ms: number): Promise<Result<WorkflowRunView>>
  /** Whether a document joins a room that it is invited to. */
  readonly admitsInvitation: AdmitsInvitation
  /** From a transport of this process. */
  takeMessage(message: IncomingMessage): Promise<readonly TakenMessage[] | 'later'>
  /** From a transport that sends signed requests. */
  takeSigned(message: SignedMessage): Promise<Result<readonly TakenMessage[]>>
  takeWebhook(event: WebhookEvent): Promise<Result<{ readonly run_id: string }>>
}

const READERS: readonly CallerKind[] = ['approver', 'reviewer', 'admin']

const allowed = <T>(kinds: readonly CallerKind[], caller: Caller, act: () => Promise<Result<T>>): Promise<Result<T>> =>
  kinds.includes(caller.kind) ? act() : Promise.resolve(refuse('auth.forbidden', { needs: kinds.join(', ') }))

export const bindWorkflows = (deps: WorkflowsDeps): WorkflowsGate => {
  const reading = <T>(caller: Caller, act: () => Promise<Result<T>>) => allowed(READERS, caller, act)
  const changing = <T>(caller: Caller, act: () => Promise<Result<T>>) => allowed(['admin'], caller, act)
  return {
    apply: (caller, text) => changing(caller, () => applyDocument(deps, caller, text)),
    rollBack: (caller, name, to) => changing(caller, () => rollBack(deps, caller, name, to)),
    list: (caller) => reading(caller, async () => ({ ok: true, value: await listDocuments(deps) })),
    versions: (caller, name, page) => reading(caller, () => listVersions(deps, name, page)),
    read: (caller, name, version) => reading(caller, () => readVersion(deps, name, version)),
    diff: (caller, name, from, to) => reading(caller, () => diffVersions(deps, name, from, to)),
    dryRun: (caller, text, asked) => allowed(DECIDING_KINDS, caller, () => dryRun(deps, caller, text, asked)),
    run: (caller, name, body, key) => changing(caller, () => runDocument(deps, caller, name, body, key)),
    runs: (caller, name, page) => reading(caller, () => listWorkflowRuns(deps, name, page)),
    readRun: (caller, run_id, wait_ms) => readWorkflowRun(deps, caller, run_id, wait_ms),
    admitsInvitation: admitsInvitation(deps),
    takeMessage: (message) => takeMessage(deps, message),
    async takeSigned(message) {
      const key = deps.incoming.get(message.transport)
      return key === undefined
        ? { ok: false, problem: problem('transport.unknown', { name: message.transport.slice(0, 64) }) }
        : takeSigned(deps, key, message)
    },
    takeWebhook: (event) => takeWebhook(deps, event),
  }
}
