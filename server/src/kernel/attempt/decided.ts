import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import type { ApprovalId, CallId } from '../contract/ids.ts'
import { Bug, problem, type Problem, type ProblemCode } from '../contract/problems.ts'
import { consume, goStale } from '../approvals/transitions.ts'
import { consentIn } from '../consents/cover-with-consent.ts'
import { consentChanges } from '../consents/facts/consent-facts.ts'
import type { ApprovalFact, RetryFact } from '../decide/facts.ts'
import { spendChanges } from '../decide/facts/budget-facts.ts'
import { freesAt } from '../decide/judge-budget.ts'
import { quarantineChanges } from '../identity/quarantine.ts'
import { withStanding } from '../identity/standing-grants.ts'
import { judgedOf } from '../policy/recorded-call.ts'
import type { AuditDraft } from '../contract/audit.ts'
import type { Change } from '../ports/ledger.ts'
import type { AuditReads, Stored } from '../ports/reads.ts'
import type { Digest } from '../ports/runtime.ts'
import {
  attempt,
  wasJudged,
  type Attempting,
  type CallPlan,
  type Case,
  type FoundFacts,
  type Judged,
  type AttemptRole,
} from './attempt.ts'
import { addToPlan, auditOf, blockedProblem, isOverBudget, type Ready } from './call-changes.ts'
import { describeCall } from './describe-call.ts'
import type { Intake } from './intake.ts'
import { NOT_ON_RECORD, storedCallFinding } from './integrity-finding.ts'
import { notRetried } from './interpret.ts'
import { judgeCall, type JudgedCall } from './judge-call.ts'
import { isToBeRetried, retryFact } from './retry-call.ts'
import { isStartOnRecord } from './start-on-record.ts'

export type DecidedDeps = Attempting & {
  readonly audit: AuditReads
  readonly digest: Digest
  readonly intake: Intake
  readonly boot: string
}

/** `expected`: the request that the call probably has: it is read together with the call. */
type Resumption = {
  readonly call_id: CallId
  readonly by: 'driver' | 'client'
  readonly expected?: ApprovalId | undefined
}

type DecidedCase = Case & {
  readonly call: CallRow
  readonly held: Stored<'calls'>
  readonly approval: Stored<'approvals'> | undefined
}

/**
 * A call that a person has decided about, or that is retried: things may have changed since, so it is judged again, and then the approval
 * is used in the same commit that marks it `executing`.
 * INVARIANT: if this happens twice, the row's version lets it through once.
 */
export const decided: AttemptRole<DecidedDeps, Resumption, DecidedCase, 'later' | 'taken'> = {
  rounds: 5,
  load,
  judge,
  stopped: (_deps, _one, { code }) => (NOT_NOW.includes(code) ? { ending: 'later' } : undefined),
  plan,
  taken: () => 'again',
  unsent: ({ call }, { row }, why, now) => endedUnstarted(withoutOrders({ ...call, ...readyIn(row) }), why, now),
  // The driver resumes it later. A refusal would end it because of a busy moment.
  giveUp: () => 'later',
}

/** Problems of the ledger and not of the call: it is resumed later. */
const NOT_NOW: readonly ProblemCode[] = ['audit.unavailable', 'audit.in_doubt']

/** Run by the driver, which a decision wakes. */
export async function resumeCall(
  deps: DecidedDeps,
  call_id: CallId,
  expected?: ApprovalId,
): Promise<Outcome | 'later'> {
  const resumed = await attempt(deps, decided, { call_id, by: 'driver', expected })
  if (resumed === 'taken') throw new Bug('only clients take approvals from each other')
  return resumed
}

/**
 * The same for a call that a client runs itself, when the client makes the call: rechecked, the approval used and the call marked
 * as started. `taken`: another process has used the approval, or it no longer exists.
 */
export const claimCall = (deps: DecidedDeps, call_id: CallId): Promise<Outcome | 'later' | 'taken'> =>
  attempt(deps, decided, { call_id, by: 'client' })

async function load(
  deps: DecidedDeps,
  { call_id, by, expected }: Resumption,
): Promise<DecidedCase | { readonly ending: Outcome | 'later' | 'taken' }> {
  if (deps.intake.closedBy() !== undefined) return { ending: 'later' }
  const [held, probable] = await Promise.all([
    deps.tables.row('calls', call_id),
    expected === undefined ? undefined : deps.tables.row('approvals', expected),
  ])
  if (held === undefined) throw new Bug(`a run refers to the absent call \`${call_id}\``)
  const call = held.row
  const { approval_id } = call
  const isExpected = probable !== undefined && approval_id === expected
  const read = isExpected || approval_id === undefined ? probable : await deps.tables.row('approvals', approval_id)
  const approval = approval_id === undefined ? undefined : read
  if (!isResumable(call, approval?.row)) return { ending: by === 'client' ? 'taken' : describeCall(call, deps.links) }
  // The approval of a call that a client runs is used when the client makes the call.
  if (call.executor === 'client' && by === 'driver') return { ending: describeCall(call, deps.links) }
  return {
    call,
    held,
    approval,
    tool: deps.catalogue.tool(call.tool_id),
    starts: call.attempt,
    dry_run: approval?.row.preview === undefined ? undefined : 'made',
  }
}

/** Held and approved, for the first time or as a retry, or interrupted and to be retried without a request. */
function isResumable(row: CallRow, approval: ApprovalRow | undefined): boolean {
  if (row.state === 'pending') return approval?.state === 'approved'
  return isToBeRetried(row) || (row.retry !== undefined && row.state === 'unknown' && approval?.state === 'approved')
}

/** What the audit says is read while the call is judged. */
async function judge(deps: DecidedDeps, one: DecidedCase): Promise<Judged> {
  const { call, approval } = one
  const usable = useOf(approval, deps.clock())
  if (usable?.ok === false) return { refusal: usable.problem }
  const [isOnRecord, judged] = await Promise.all([
    isStartOnRecord(deps.audit, call, approval?.row),
    judgeAgain(deps, one),
  ])
  return isOnRecord ? judged : stale('approval.stale', NOT_ON_RECORD)
}

async function judgeAgain(deps: DecidedDeps, { call, tool, approval }: DecidedCase): Promise<Judged> {
  if (deps.digest(call.canonical_args) !== call.args_hash) return stale('approval.args_changed', 'arguments')
  if (approval !== undefined && approval.row.args_hash !== call.args_hash)
    return stale('approval.args_changed', 'arguments')
  if (tool === undefined) return stale('approval.stale', 'tool')
  const standing = approval && (await withStanding(deps.tables, approval))
  const retry = retryFact(call, tool)
  const fact = standing && approvalFact(call, standing.row, retry)
  // An idempotent call already spent its unit when it started: a retry uses the same permission.
  const spent = call.state === 'unknown' && retry === undefined ? consentIn(call.verdict) : undefined
  const moment = {
    integrity: 'intact',
    asked_earlier: true,
    ...(retry === undefined ? {} : { retry }),
    ...(fact === undefined ? {} : { approval: fact }),
  } as const
  const judged = await judgeCall(deps, call, tool, moment, spent === undefined ? {} : { spent })
  const { seen } = judged
  if (judged.verdict.effect === 'allow')
    return { ...judged, seen: { ...seen, expects: [...seen.expects, ...(standing?.expects ?? [])] } }
  return { refusal: whyStale(judged, fact), judged }
}

function whyStale({ verdict, facts }: JudgedCall, fact: ApprovalFact | undefined): Problem {
  if (isOverBudget(verdict)) return blockedProblem(verdict, freesAt(facts.budgets))
  const isKeyGone = verdict.effect === 'ask' && fact?.decisions.some(({ ended_at }) => ended_at !== undefined) === true
  const rules = verdict.evidence.filter(({ effect }) => effect === verdict.effect).map(({ rule }) => rule)
  return problem('approval.stale', { because: isKeyGone ? 'the key of an approver was revoked' : rules.join(', ') })
}

const stale = (code: 'approval.stale' | 'approval.args_changed', because: string): Judged => ({
  refusal: problem(code, { because }),
})

/**
 * INVARIANT: an approval allows one execution. One that was used counts again only for the repetition of an idempotent call, and a retry
 * that may repeat an effect needs one that was given for a retry of exactly this attempt.
 */
function approvalFact(row: CallRow, approval: ApprovalRow, retry: RetryFact | undefined): ApprovalFact | undefined {
  const { approval_id, args_hash, definition_hash, strength, decisions, route } = approval
  const isUsable =
    retry === undefined
      ? approval.state === 'approved' || (approval.state === 'consumed' && row.state === 'unknown')
      : approval.state === 'approved' && approval.retries?.attempt === row.attempt
  const is_escalated = route?.escalated_at !== undefined
  return isUsable ? { approval_id, args_hash, definition_hash, strength, decisions, is_escalated } : undefined
}

/** A start uses the approval; anything else makes it stale. */
function plan(deps: DecidedDeps, one: DecidedCase, { judged, checked }: FoundFacts): CallPlan {
  // A check can take long, so the approval's expiry is compared with the time at which the call would start.
  const now = deps.clock()
  const usable = useOf(one.approval, now)
  if (checked.is === 'stopped') return stopPlan(deps, one, judged, checked.problem, checked.ready, now)
  if (usable?.ok === false) return stopPlan(deps, one, judged, usable.problem, undefined, now)
  return startPlan(deps, one, wasJudged(judged), checked.ready, now)
}

const useOf = (approval: Stored<'approvals'> | undefined, now: number) =>
  approval?.row.state === 'approved' ? consume(approval.row, now) : undefined

function startPlan(
  deps: DecidedDeps,
  one: DecidedCase,
  { verdict, facts, policy_version, seen }: JudgedCall,
  ready: Ready,
  now: number,
): CallPlan {
  // How an earlier attempt ended is in the audit, and is not how this one ends.
  const { problem: _, ended_at: _1, ...before } = withoutOrders({ ...one.call, ...ready.parts })
  const row: CallRow = {
    ...before,
    state: 'executing',
    attempt: before.attempt + 1,
    boot: deps.boot,
    started_at: now,
    verdict,
    policy_version,
    judged: judgedOf(facts),
  }
  const about = { attempt: row.attempt, ...ready.about }
  const planned = rowPlan(one, row, consume, auditOf('call.started', row, now, { verdict, about }), now)
  addToPlan(planned, 'changed', seen.expects)
  addToPlan(planned, 'used_up', spendChanges(verdict, facts.budgets))
  addToPlan(planned, 'used_up', consentChanges(verdict, facts))
  return planned
}

function stopPlan(
  deps: DecidedDeps,
  one: DecidedCase,
  judged: Judged,
  why: Problem,
  ready: Ready | undefined,
  now: number,
): CallPlan {
  const row = endedUnstarted(withoutOrders({ ...one.call, ...ready?.parts }), why, now)
  const about = { code: why.code, ...ready?.about }
  const type = ready === undefined ? 'call.refused' : 'call.stopped'
  const planned = rowPlan(one, row, goStale, auditOf(type, row, now, { outcome: row.state, about }), now)
  addToPlan(planned, 'taken', storedCallFinding(row, why, now))
  const verdict = 'refusal' in judged ? judged.judged?.verdict : judged.verdict
  // An approved call may turn out to contain a honey token.
  return { ...planned, stopping: () => (verdict === undefined ? [] : quarantineChanges(deps, row, verdict, now)) }
}

function rowPlan(
  { held, approval }: DecidedCase,
  row: CallRow,
  move: typeof consume,
  entry: AuditDraft,
  now: number,
): CallPlan {
  const planned: CallPlan = { row, version: held.version + 1, changes: [], means: [] }
  addToPlan(planned, 'taken', [
    { kind: 'swap', table: 'calls', id: row.call_id, from: held.version, to: row },
    ...approvalChange(approval, move, now),
    { kind: 'audit', entry },
  ])
  return planned
}

function approvalChange(approval: Stored<'approvals'> | undefined, move: typeof consume, now: number): Change[] {
  if (approval === undefined || approval.row.state !== 'approved') return []
  const moved = move(approval.row, now)
  if (!moved.ok) throw new Bug('an approved request that was just rechecked can be consumed or go stale')
  return [{ kind: 'swap', table: 'approvals', id: approval.row.approval_id, from: approval.version, to: moved.value }]
}

/** A retry is used up by starting: if this attempt is interrupted too, a person is asked again. */
function withoutOrders({ settled: _, retry: _1, ...row }: CallRow): CallRow {
  return row
}

const readyIn = ({ rollback, evidence }: CallRow): Ready['parts'] => ({
  ...(rollback === undefined ? {} : { rollback }),
  ...(evidence === undefined ? {} : { evidence }),
})

/**
 * A call that does not start. If it was interrupted before, it may have taken effect then: that is still unknown, whatever stops
 * it now, and a person is asked again.
 */
function endedUnstarted(before: CallRow, why: Problem, now: number): CallRow {
  if (before.state === 'unknown') return { ...before, problem: notRetried(why) }
  const isCheck = why.code === 'call.check_failed' || why.code === 'call.dry_run_failed'
  return { ...before, state: isCheck ? 'failed' : 'refused', ended_at: now, problem: why }
}
