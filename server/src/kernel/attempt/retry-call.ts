import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRow } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import type { RiskClass, Tool } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { strongWhereHidden } from '../approvals/hidden-places.ts'
import { goStale, withdraw } from '../approvals/transitions.ts'
import { freesAt } from '../decide/judge-budget.ts'
import { bytesOf, pendingChanges, type PendingLimits } from '../approvals/pending-limits.ts'
import { showRequest } from '../approvals/show-request.ts'
import type { Change } from '../ports/ledger.ts'
import type { Accounts, Stored, Tables } from '../ports/reads.ts'
import type { Digest, Ids, Clock } from '../ports/runtime.ts'
import { addRunEvent, newRunChanges } from '../runs/run-changes.ts'
import { approvalFor, auditOf, blockedProblem, holdChanges } from './call-changes.ts'
import { approvalMoved } from './close-call.ts'
import { judgeCall, type JudgeDeps } from './judge-call.ts'
import { lookAlikeRecipients, type RecipientDeps } from './look-alike-recipients.ts'
import { previewCall, previewIn, type PreviewDeps } from './preview-call.ts'
import { isoTime } from '../text/iso-time.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import type { RetryFact } from '../decide/facts.ts'
import { heldCall, parkCall } from './held-call.ts'
import { beginRun } from '../runs/begin-run.ts'

export type RequestRetryDeps = JudgeDeps &
  PreviewDeps &
  RecipientDeps & {
    readonly tables: Tables
    readonly accounts: Accounts
    readonly ids: Ids
    readonly digest: Digest
    readonly holdFor: (verdict: Verdict, risk: RiskClass) => number
    readonly pendingLimits: PendingLimits
  }

type Requested = { readonly row: CallRow; readonly changes: readonly Change[] }

/**
 * The request for a retry that may repeat an effect. The call is judged as if it were made now, so the same people are asked, in the same
 * way, as about a first attempt; whatever allowed that one, an approval or a consent, is used up. The call stays unknown while it waits.
 */
export async function requestRetry(
  deps: RequestRetryDeps,
  { row: before, version }: Stored<'calls'>,
  tool: Tool,
  by: Caller,
): Promise<Result<Requested>> {
  if (deps.digest(before.canonical_args) !== before.args_hash)
    return refuse('approval.args_changed', { because: 'arguments' })
  const retry = retryFact(before, tool)
  if (retry === undefined) throw new Bug('a retry that does no harm needs no request')
  const judged = await judgeCall(deps, before, tool, { integrity: 'intact', asked_earlier: true, retry }, ONLY_A_PERSON)
  const { facts, policy_version } = judged
  if (judged.verdict.effect === 'block')
    return { ok: false, problem: blockedProblem(judged.verdict, freesAt(facts.budgets)) }
  if (judged.verdict.effect !== 'ask') throw new Bug('a retry that may repeat an effect is always asked about')
  const preview = await previewCall(deps, before, tool, judged, undefined)
  if (preview.is === 'overtaken') return refuse('audit.unavailable')
  if (preview.is === 'stopped') return { ok: false, problem: preview.problem }
  const previewed = previewIn(preview)
  const shown = await showRequest(deps, { canonical_args: before.canonical_args, ...previewed })
  const verdict = strongWhereHidden(judged.verdict, shown.hidden, facts.now)
  const bytes = bytesOf(before.canonical_args, previewed.preview, previewed.preview_raw)
  const pending = await pendingChanges(deps.accounts, deps.pendingLimits, before.caller, bytes)
  if (!pending.ok) return pending
  const now = deps.clock()
  const hold = {
    approval_id: deps.ids.approval(),
    run_id: deps.ids.run(),
    expires_at: now + deps.holdFor(verdict, facts.tool.risk),
    bytes,
  }
  const { approval_id, run_id, expires_at } = hold
  const row: CallRow = { ...before, approval_id, run_id, held_until: expires_at, retry: { by: by.id, at: now } }
  const sources = await deps.judgement.sourcesOf(deps, facts)
  const look_alikes = await lookAlikeRecipients(deps, before, shown.args)
  const request: ApprovalRow = {
    // The verdict of the first attempt stays in the row of the call, until another one starts.
    ...approvalFor({ ...row, verdict, policy_version }, { now, hold, shown, sources, look_alikes, ...previewed }),
    retries: {
      attempt: before.attempt,
      ...(before.started_at === undefined ? {} : { started_at: before.started_at }),
      ordered_by: by.id,
    },
    ...(before.approval_id === undefined ? {} : { replaces: before.approval_id }),
  }
  const about = { retries: before.attempt }
  return ok({
    row,
    changes: [
      { kind: 'swap', table: 'calls', id: row.call_id, from: version, to: row },
      // The run that waited for a person to settle the call ends; the new one waits for the request.
      ...(before.run_id === undefined ? [] : addRunEvent(before.run_id, { type: 'call.settled' })),
      ...holdChanges(row, request, now),
      ...pending.value,
      { kind: 'audit', entry: auditOf('call.retry_held', row, now, { actor: by.id, verdict, about }) },
    ],
  })
}

/** No consent is read: only a person may decide. */
const ONLY_A_PERSON = undefined

/** Ends the request for a retry, because the call is settled in another way. Undefined if it has just been decided. */
export function retryEnded(
  held: Stored<'approvals'> | undefined,
  row: CallRow,
  by: Caller,
  as: string,
  now: number,
): readonly Change[] | undefined {
  if (held === undefined) return undefined
  const isPending = held.row.state === 'pending'
  const ended = isPending ? withdraw(held.row, now) : goStale(held.row, now)
  if (!ended.ok) return undefined
  const event = isPending ? { type: 'approval.closed', outcome: ended.value.state } : { type: 'call.settled' }
  const more = { actor: by.id, outcome: row.state, about: { as } }
  const entry = auditOf(isPending ? 'approval.withdrawn' : 'approval.stale', row, now, more)
  return [...approvalMoved(held, ended.value, event), { kind: 'audit', entry }]
}

/**
 * A person or the recovery has ordered a retry that needs no request, and it has not started yet: starting uses the order up. Only an
 * idempotent call is retried like this, whatever an earlier release has ordered.
 */
export const isToBeRetried = (row: CallRow): boolean =>
  row.state === 'unknown' && row.settled?.as === 'retry' && row.idempotent

/** Nobody has settled it: a person has to. */
export const isUnsettled = (row: CallRow): boolean => row.state === 'unknown' && !isToBeRetried(row)

/** Whether a retry does no harm: the tool was idempotent when the call was recorded, and still is. */
export const isHarmless = (row: CallRow, tool: Pick<Tool, 'idempotent'> | undefined): boolean =>
  row.idempotent && tool?.idempotent === true

/** What a retry is judged by; undefined if it does no harm. */
export function retryFact(row: CallRow, tool: Pick<Tool, 'idempotent'>): RetryFact | undefined {
  if (row.state !== 'unknown' || isHarmless(row, tool)) return undefined
  const { attempt, started_at, called_off } = row
  const sent = started_at === undefined ? {} : { sent: isoTime(started_at) }
  return { attempt, ...sent, is_called_off: called_off !== undefined }
}

/** A retry of an interrupted call: an event for the run it belongs to, or for a new one, and the wake-up. */
export function retryChanges(
  deps: { readonly ids: Ids; readonly clock: Clock },
  row: CallRow,
): { row: CallRow; changes: Change[] } {
  const run_id = row.run_id ?? deps.ids.run()
  const retried = { type: 'call.retried' }
  if (row.run_id !== undefined) return { row, changes: addRunEvent(run_id, retried) }
  const labels = { owner: callerIdentity(row.caller), thread: row.thread }
  const run = beginRun(heldCall, run_id, parkCall(row), deps.clock(), labels)
  return { row: { ...row, run_id }, changes: newRunChanges(run, retried) }
}
