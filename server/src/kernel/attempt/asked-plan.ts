import type { Call, CallRequest, CallRow } from '../contract/call.ts'
import type { RiskClass, Tool } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { strongWhereHidden } from '../approvals/hidden-places.ts'
import { bytesOf, pendingChanges, type PendingLimits } from '../approvals/pending-limits.ts'
import { showRequest } from '../approvals/show-request.ts'
import { consentChanges } from '../consents/facts/consent-facts.ts'
import { spendChanges } from '../decide/facts/budget-facts.ts'
import { freesAt } from '../decide/judge-budget.ts'
import { grantChanges } from '../identity/facts/grant-calls.ts'
import { stoppingChanges } from '../identity/quarantine.ts'
import type { Facts } from '../decide/facts.ts'
import { judgedOf } from '../policy/recorded-call.ts'
import type { Ids, MaybePromise } from '../ports/runtime.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { outputLabel } from '../sessions/labels.ts'
import { wasJudged, type Attempting, type CallPlan, type Case, type Ended, type FoundFacts } from './attempt.ts'
import {
  addToPlan,
  auditOf,
  blockedProblem,
  changesFor,
  type Hold,
  type Ready,
  type Recording,
} from './call-changes.ts'
import type { Checked } from './standard/check-call.ts'
import { heldOrNext, type ClaimDeps, keyOf } from './earlier-call.ts'
import { integrityFinding } from './integrity-finding.ts'
import type { Ahead, JudgedCall } from './judge-call.ts'
import type { PreparedCall } from './prepare-call.ts'
import { lookAlikeRecipients, type RecipientDeps } from './look-alike-recipients.ts'
import { previewIn, type Preview } from './preview-call.ts'
import { isDeclaredRead } from './declared-read.ts'
import type { Change } from '../ports/ledger.ts'
import type { Json } from '../contract/json.ts'
import { Bug } from '../contract/problems.ts'
import { canonicalJson } from '../json/canonical.ts'
import type { Scanner } from '../ports/scanner.ts'

export type AskedPlanDeps = Attempting &
  ClaimDeps &
  RecipientDeps & {
    readonly ids: Ids
    readonly boot: string
    readonly holdFor: (verdict: Verdict, risk: RiskClass) => number
    readonly pendingLimits: PendingLimits
  }

/** A call as it was requested. */
export type AskedCase = Case & {
  readonly request: CallRequest
  readonly tool: Tool
  readonly integrity: PreparedCall['integrity']
  readonly ahead: Ahead | undefined
}

/** Step 6 of the corridor for a new call: its first row, with its intent to start, its request to a person, or why it does not run. */
export function planAsked(
  deps: AskedPlanDeps,
  one: AskedCase,
  { judged, shown, checked }: FoundFacts,
  listeners: CallListeners | undefined,
): MaybePromise<CallPlan | Ended<never>> {
  const known = wasJudged(judged)
  if (checked.is === 'stopped') return stopPlan(deps, one, known, checked)
  switch (known.verdict.effect) {
    case 'allow':
      return startPlan(deps, one, known, shown, checked.ready, listeners)
    case 'ask':
      return holdPlan(deps, one, known, shown)
    default:
      return blockPlan(deps, one, known)
  }
}

type Stopped = Omit<Extract<Checked, { is: 'stopped' }>, 'is'>
type Written<T> = { -readonly [Field in keyof T]: T[Field] }

function recordingOf(
  { boot }: AskedPlanDeps,
  { request, tool }: AskedCase,
  { policy_version, facts }: JudgedCall,
  now: number,
): Written<Recording> {
  const { idempotent } = tool
  const recording: Written<Recording> = { now, boot, policy_version, judged: judgedOf(facts), idempotent }
  const { idempotency_key } = request
  if (idempotency_key !== undefined) recording.idempotency_key = keyOf(request, idempotency_key)
  return recording
}

function startPlan(
  deps: AskedPlanDeps,
  one: AskedCase,
  judged: JudgedCall,
  shown: Preview,
  ready: Ready,
  listeners: CallListeners | undefined,
): CallPlan {
  const { call, tool } = one
  const { verdict, facts, seen } = judged
  const recording = recordingOf(deps, one, judged, deps.clock())
  recording.ready = ready
  const planned = changesFor(call, verdict, recording, seen.expects)
  const { row, changes, means } = planned
  addToPlan(planned, 'used_up', spendChanges(verdict, facts.budgets))
  addToPlan(planned, 'used_up', consentChanges(verdict, facts))
  addToPlan(planned, 'used_up', grantChanges(verdict, call.caller))
  const unsynced = maySyncLater(tool, row, changes, listeners)
  if (unsynced) addToPlan(planned, 'taken', [{ kind: 'sync_later' }])
  return { row, version: FIRST, changes, means, unsynced, stores: storedBy(call, shown) }
}

const FIRST = 1

const storedBy = ({ canonical_args }: Call, shown: Preview): readonly string[] =>
  shown.is === 'previewed' ? [canonical_args, JSON.stringify(shown.result)] : [canonical_args]

async function holdPlan(
  deps: AskedPlanDeps,
  one: AskedCase,
  judged: JudgedCall,
  preview: Preview,
): Promise<CallPlan | Ended<never>> {
  const { request, call } = one
  const { facts } = judged
  const now = deps.clock()
  const previewed = previewIn(preview)
  // What approvers see is computed once, here: listing requests must not search their arguments again.
  const shown = await showRequest(deps, { ...call, ...previewed })
  const verdict = strongWhereHidden(judged.verdict, shown.hidden, now)
  const bytes = bytesOf(call.canonical_args, previewed.preview, previewed.preview_raw)
  const pending = await pendingChanges(deps.accounts, deps.pendingLimits, call.caller, bytes)
  if (!pending.ok) return stopPlan(deps, one, judged, pending)
  const recording: Recording = {
    ...recordingOf(deps, one, judged, now),
    ...previewed,
    shown,
    hold: holdOf(deps, call, verdict, facts, now, bytes),
    sources: await deps.judgement.sourcesOf(deps, facts),
    look_alikes: await lookAlikeRecipients(deps, call, shown.args),
  }
  // Read after the judgement: an equal call may have been held since.
  const equal = request.executor === 'client' ? await heldOrNext(deps, call) : undefined
  if (equal !== undefined && 'status' in equal) return { ending: equal }
  const planned = changesFor(call, verdict, recording)
  if (equal !== undefined)
    addToPlan(planned, 'used_up', [{ kind: 'once', key: equal.next, until: planned.row.held_until ?? now }])
  addToPlan(planned, 'used_up', grantChanges(verdict, call.caller))
  addToPlan(planned, 'used_up', pending.value)
  return unstarted(deps, call, verdict, now, planned, storedBy(call, preview))
}

function holdOf(deps: AskedPlanDeps, call: Call, verdict: Verdict, { tool }: Facts, now: number, bytes: number): Hold {
  // A document may require its requests to be decided sooner, never later.
  const most = (call.by_run?.hold_s ?? Infinity) * 1_000
  const expires_at = now + Math.min(most, deps.holdFor(verdict, tool.risk))
  return { approval_id: deps.ids.approval(), run_id: deps.ids.run(), expires_at, bytes }
}

async function blockPlan(deps: AskedPlanDeps, one: AskedCase, judged: JudgedCall): Promise<CallPlan> {
  const { call } = one
  const { verdict, facts } = judged
  const now = deps.clock()
  const recording = recordingOf(deps, one, judged, now)
  const frees_at = freesAt(facts.budgets)
  if (frees_at !== undefined) recording.frees_at = frees_at
  const planned = changesFor(await withoutSecrets(deps, call), verdict, recording)
  addToPlan(planned, 'taken', integrityFinding(call, verdict, now))
  return unstarted(deps, call, verdict, now, planned)
}

/** A blocked call never runs, so its secrets need not be stored. The hash stays that of what was sent. */
async function withoutSecrets({ judgement }: AskedPlanDeps, call: Call): Promise<Call> {
  const redacted = await redactOwnArgs(judgement.scanner, call.canonical_args)
  return { ...call, canonical_args: (await judgement.scanner.shownArgs(redacted)).args }
}

/** A failing check, or a failing or missing dry run, stops the call before anything is executed or held. */
function stopPlan(deps: AskedPlanDeps, one: AskedCase, judged: JudgedCall, stopped: Stopped): CallPlan {
  const { call, tool } = one
  const { verdict, facts, policy_version } = judged
  const { problem: why, result, ready = { parts: {} } } = stopped
  const isFailed = why.code === 'call.dry_run_failed' || why.code === 'call.check_failed'
  const row: CallRow = {
    ...call,
    ...ready.parts,
    v: 1,
    state: isFailed ? 'failed' : 'refused',
    verdict,
    policy_version,
    judged: judgedOf(facts),
    idempotent: tool.idempotent,
    attempt: 0,
    ended_at: facts.now,
    problem: why.code === 'call.blocked' ? blockedProblem(verdict, freesAt(facts.budgets)) : why,
    ...(result === undefined ? {} : { result }),
  }
  const about = { code: why.code, ...ready.about }
  const planned = { row, changes: [], means: [] }
  addToPlan(planned, 'taken', [
    { kind: 'swap', table: 'calls', id: row.call_id, from: 'absent', to: row },
    { kind: 'audit', entry: auditOf('call.stopped', row, facts.now, { verdict, outcome: row.state, about }) },
    ...outputLabel(row, 0, facts.now),
    ...integrityFinding(call, verdict, facts.now),
  ])
  return unstarted(deps, call, verdict, facts.now, planned)
}

/** If a trap was triggered, its caller is stopped in the same commit. */
const unstarted = (
  deps: AskedPlanDeps,
  call: Call,
  verdict: Verdict,
  now: number,
  planned: Pick<CallPlan, 'row' | 'changes' | 'means'>,
  stores: readonly string[] = [call.canonical_args],
): CallPlan => ({
  ...planned,
  version: FIRST,
  stores,
  stopping: () => stoppingChanges(deps, call, verdict, now),
})

/**
 * Whether the intent of a call may become durable together with its outcome: a declared read whose commit contains only the call's row, its
 * audit entry and expectations. A used idempotency key or spent units must not be undone by a power failure, and the id of a task is given
 * to the client before the outcome is known.
 */
export function maySyncLater(
  tool: Tool,
  row: CallRow,
  changes: readonly Change[],
  listeners: CallListeners | undefined,
): boolean {
  if (!isDeclaredRead(tool)) return false
  const isKnownOutside =
    row.executor !== undefined || row.node !== undefined || row.task_of !== undefined || row.by_run !== undefined
  return !isKnownOutside && listeners?.onStarted === undefined && changes.every(isOnlyRecord)
}

const isOnlyRecord = (change: Change): boolean =>
  change.kind === 'expect' || change.kind === 'audit' || (change.kind === 'swap' && change.table === 'calls')

/** Arguments for rows of calls that will never run: as written, without any of the gate's own credentials. */
export async function redactOwnArgs(scanner: Pick<Scanner, 'redactOwn'>, canonical_args: string): Promise<string> {
  const args = JSON.parse(canonical_args) as Json
  const redacted = await scanner.redactOwn(args)
  if (redacted === args) return canonical_args
  const text = canonicalJson(redacted)
  if (!text.ok) throw new Bug('redacted arguments have a canonical form')
  return text.value
}
