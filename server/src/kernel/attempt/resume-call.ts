import type { ApprovalRow } from '../contract/approval.ts'
import type { CallRow, Outcome } from '../contract/call.ts'
import type { ApprovalId, CallId } from '../contract/ids.ts'
import { Bug, ok, problem, type Problem, type ProblemCode, type Result } from '../contract/problems.ts'
import { consume, goStale } from '../approvals/transitions.ts'
import { consentIn } from '../consents/cover-with-consent.ts'
import type { ApprovalFact, RetryFact } from '../decide/facts.ts'
import { notRetried } from './interpret.ts'
import { freesAt } from '../decide/judge-budget.ts'
import { judgedOf } from '../policy/recorded-call.ts'
import type { AskDeps } from './run-read-back.ts'
import { auditOf, blockedProblem, isOverBudget } from './call-changes.ts'
import { checkCall, type Ready } from './check-call.ts'
import { addToPlan, type CommitPlan } from './commit-plan.ts'
import { describeCall, type Links } from './describe-call.ts'
import type { ExecuteCall } from './execute-call.ts'
import { spendChanges } from '../decide/facts/budget-facts.ts'
import { consentChanges } from '../consents/facts/consent-facts.ts'
import type { Intake } from './intake.ts'
import { NOT_ON_RECORD, storedCallFinding } from './integrity-finding.ts'
import { isCallCurrent, judgeCall, type JudgedCall, type JudgeDeps } from './judge-call.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { AuditReads, Held } from '../ports/reads.ts'
import type { Digest, Probe } from '../ports/runtime.ts'
import { previewCall, previewWanted, type PreviewDeps } from './preview-call.ts'
import { commitAndStop, quarantineChanges } from '../identity/quarantine.ts'
import { withStanding } from '../identity/standing-grants.ts'
import { isInDoubt, isUnrecorded, lostAt } from '../changes/unrecorded.ts'
import { endUnsent, type EndUnsentDeps } from './end-unsent.ts'
import { isToBeRetried, retryFact } from './retry-changes.ts'
import { isStartOnRecord } from './start-on-record.ts'

export type ResumeDeps = JudgeDeps &
  EndUnsentDeps &
  AskDeps &
  PreviewDeps & {
    readonly catalogue: Catalogue & Pick<LiveCatalogue, 'refresh'>
    readonly ledger: Ledger
    readonly audit: AuditReads
    readonly digest: Digest
    readonly execute: ExecuteCall
    readonly links: Links
    readonly intake: Intake
    readonly probe: Probe
    readonly boot: string
  }

const TRIES = 5
/** Problems of the ledger and not of the call: it is resumed later. */
const NOT_NOW: readonly ProblemCode[] = ['audit.unavailable', 'audit.in_doubt']

/**
 * Step 8 of the corridor, run by the driver: a person has decided, and things may have changed since. Rechecks with fresh facts
 * and the current policy, then marks `executing` and uses the approval in the same commit.
 * INVARIANT: if this happens twice, the row's version lets it through once.
 */
export async function resumeCall(
  deps: ResumeDeps,
  call_id: CallId,
  approval_id?: ApprovalId,
): Promise<Outcome | 'later'> {
  const resumed = await resume(deps, call_id, 'driver', approval_id)
  if (resumed === 'taken') throw new Bug('only clients take approvals from each other')
  return resumed
}

/**
 * The same for a call that a client runs itself, when the client makes the call: rechecked, the approval used and the call marked
 * as started. `taken`: another process has used the approval, or it no longer exists.
 */
export const claimCall = (deps: ResumeDeps, call_id: CallId): Promise<Outcome | 'later' | 'taken'> =>
  resume(deps, call_id, 'client')

async function resume(
  deps: ResumeDeps,
  call_id: CallId,
  by: 'driver' | 'client',
  /** The request that the call probably has: it is read together with the call. */
  expected?: ApprovalId,
): Promise<Outcome | 'later' | 'taken'> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    if (deps.intake.closedBy() !== undefined) return 'later'
    const [held, probable] = await Promise.all([
      deps.tables.row('calls', call_id),
      expected === undefined ? undefined : deps.tables.row('approvals', expected),
    ])
    if (held === undefined) throw new Bug(`a run refers to the absent call \`${call_id}\``)
    const approval =
      probable !== undefined && held.row.approval_id === expected ? probable : await approvalOf(deps, held.row)
    if (!isResumable(held.row, approval?.row)) return by === 'client' ? 'taken' : describeCall(held.row, deps.links)
    // The approval of a call that a client runs is used when the client makes the call.
    if (held.row.executor === 'client' && by === 'driver') return describeCall(held.row, deps.links)
    const judgedAgain = await recheck(deps, held.row, approval, deps.clock())
    const tried = approval?.row.preview === undefined ? await tryFirst(deps, held.row, judgedAgain) : judgedAgain
    if (tried === 'overtaken') continue
    const rechecked = await check(deps, held.row, tried, tries)
    const { next, judged } = rechecked
    if (!next.ok && NOT_NOW.includes(next.problem.code)) return 'later'
    // A check can take long, so use the time at which the call would start.
    const now = deps.clock()
    const started = await commitNext(deps, held, approval, rechecked, now)
    if (started === 'lost') continue
    if (started === 'unavailable') return 'later'
    if (!next.ok || started.executor === 'client') return describeCall(started, deps.links)
    const at = judged === undefined ? {} : { generation: judged.generation }
    return deps.execute({ row: started, version: held.version + 1, ...at })
  }
  return 'later'
}

async function approvalOf(deps: ResumeDeps, row: CallRow): Promise<Held<'approvals'> | undefined> {
  return row.approval_id === undefined ? undefined : deps.tables.row('approvals', row.approval_id)
}

/** Held and approved, for the first time or as a retry, or interrupted and to be retried without a request. */
function isResumable(row: CallRow, approval: ApprovalRow | undefined): boolean {
  if (row.state === 'pending') return approval?.state === 'approved'
  return isToBeRetried(row) || (row.retry !== undefined && row.state === 'unknown' && approval?.state === 'approved')
}

/** `judged` is set if there was a verdict, `ready` if there was a check. */
type Rechecked = { readonly next: Result<Recheck>; readonly judged?: JudgedCall; readonly ready?: Ready }
/** What a start puts on the row: the new verdict, and the policy and the facts behind it. */
type Recheck = Pick<CallRow, 'verdict' | 'policy_version' | 'judged'>

/** What a start expects of others and spends of budgets and consents. */
function addConsequences(plan: CommitPlan, { facts, verdict, seen }: JudgedCall): void {
  if (verdict.effect === 'allow') addToPlan(plan, 'changed', seen.expects)
  addToPlan(plan, 'used_up', spendChanges(verdict, facts.budgets))
  addToPlan(plan, 'used_up', consentChanges(verdict, facts))
}

/** A dry run that a rule requires and that could not be made before the approval, because it was not declared free of effects. */
async function tryFirst(deps: ResumeDeps, row: CallRow, rechecked: Rechecked): Promise<Rechecked | 'overtaken'> {
  const { next, judged } = rechecked
  const tool = deps.catalogue.tool(row.tool_id)
  if (!next.ok || judged === undefined || tool === undefined) return rechecked
  const wanted = previewWanted(judged.verdict, undefined)
  if (wanted === undefined) return rechecked
  const preview = await previewCall(deps, { call: row, tool, integrity: 'intact' }, judged, wanted)
  if (preview.is === 'stopped') return { next: { ok: false, problem: preview.problem }, ready: { parts: {} } }
  if (preview.is !== 'overtaken') return rechecked
  await deps.catalogue.refresh(row.server)
  return 'overtaken'
}

/** Backup and Check, for a call that may run. If the check stops it, it spends nothing of any budget or consent. */
async function check(deps: ResumeDeps, row: CallRow, rechecked: Rechecked, tries: number): Promise<Rechecked> {
  const tool = deps.catalogue.tool(row.tool_id)
  if (!rechecked.next.ok || tool === undefined) return rechecked
  const checked = await checkCall(deps, row, tool, `${row.attempt + 1}${tries === 1 ? '' : `.${tries}`}`)
  if (checked.is === 'ready') return { ...rechecked, ready: checked.ready }
  return { next: { ok: false, problem: checked.problem }, ready: checked.ready }
}

async function recheck(
  deps: ResumeDeps,
  row: CallRow,
  approval: Held<'approvals'> | undefined,
  now: number,
): Promise<Rechecked> {
  if (approval?.row.state === 'approved') {
    const usable = consume(approval.row, now)
    if (!usable.ok) return { next: usable }
  }
  const [isOnRecord, judged] = await Promise.all([
    isStartOnRecord(deps.audit, row, approval?.row),
    judgeAgain(deps, row, approval),
  ])
  return isOnRecord ? judged : stale('approval.stale', NOT_ON_RECORD)
}

async function judgeAgain(deps: ResumeDeps, row: CallRow, approval: Held<'approvals'> | undefined): Promise<Rechecked> {
  if (deps.digest(row.canonical_args) !== row.args_hash) return stale('approval.args_changed', 'arguments')
  if (approval !== undefined && approval.row.args_hash !== row.args_hash)
    return stale('approval.args_changed', 'arguments')
  const tool = deps.catalogue.tool(row.tool_id)
  if (tool === undefined) return stale('approval.stale', 'tool')
  const standing = approval && (await withStanding(deps.tables, approval))
  const retry = retryFact(row, tool)
  const fact = standing && approvalFact(row, standing.row, retry)
  // An idempotent call already spent its unit when it started: a retry uses the same permission.
  const spent = row.state === 'unknown' && retry === undefined ? consentIn(row.verdict) : undefined
  const moment = {
    integrity: 'intact',
    asked_earlier: true,
    ...(retry === undefined ? {} : { retry }),
    ...(fact === undefined ? {} : { approval: fact }),
  } as const
  const judged = await judgeCall(deps, row, tool, moment, spent === undefined ? {} : { spent })
  const { facts, verdict, policy_version, seen } = judged
  if (verdict.effect === 'allow') {
    const relied = { ...judged, seen: { ...seen, expects: [...seen.expects, ...(standing?.expects ?? [])] } }
    return { next: ok({ verdict, policy_version, judged: judgedOf(facts) }), judged: relied }
  }
  if (isOverBudget(verdict))
    return { next: { ok: false, problem: blockedProblem(verdict, freesAt(facts.budgets)) }, judged }
  const isKeyGone = verdict.effect === 'ask' && fact?.decisions.some(({ ended_at }) => ended_at !== undefined) === true
  if (isKeyGone) return { ...stale('approval.stale', 'the key of an approver was revoked'), judged }
  const rules = verdict.evidence.filter(({ effect }) => effect === verdict.effect).map(({ rule }) => rule)
  return { ...stale('approval.stale', rules.join(', ')), judged }
}

function stale(code: 'approval.stale' | 'approval.args_changed', because: string): Rechecked {
  return { next: { ok: false, problem: problem(code, { because }) } }
}

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

async function commitNext(
  deps: ResumeDeps,
  held: Held<'calls'>,
  approval: Held<'approvals'> | undefined,
  { next, ready, judged }: Rechecked,
  now: number,
): Promise<CallRow | 'lost' | 'unavailable'> {
  const isOver = next.ok && approval?.row.state === 'approved' && !consume(approval.row, now).ok
  if (isOver) return 'lost'
  // A retry is used up by starting: if this attempt is interrupted too, a person is asked again.
  const { settled: _, retry: _1, ...before } = { ...held.row, ...ready?.parts }
  // How an earlier attempt ended is in the audit, and is not how this one ends.
  const { problem: _2, ended_at: _3, ...afresh } = before
  const row: CallRow = next.ok
    ? {
        ...afresh,
        state: 'executing',
        attempt: before.attempt + 1,
        boot: deps.boot,
        started_at: now,
        ...next.value,
      }
    : endedUnstarted(before, next.problem, now)
  const entry = next.ok
    ? auditOf('call.started', row, now, {
        verdict: next.value.verdict,
        about: { attempt: row.attempt, ...ready?.about },
      })
    : auditOf(ready === undefined ? 'call.refused' : 'call.stopped', row, now, {
        outcome: row.state,
        about: { code: next.problem.code, ...ready?.about },
      })
  const plan: CommitPlan = { changes: [], means: [] }
  addToPlan(plan, 'taken', [{ kind: 'swap', table: 'calls', id: row.call_id, from: held.version, to: row }])
  addToPlan(plan, 'taken', approvalChange(approval, next.ok, now))
  addToPlan(plan, 'taken', [{ kind: 'audit', entry }])
  if (!next.ok) addToPlan(plan, 'taken', storedCallFinding(row, next.problem, now))
  if (judged !== undefined) addConsequences(plan, judged)
  // An approved call may turn out to contain a honey token.
  const stopping = () => (judged === undefined ? [] : quarantineChanges(deps, row, judged.verdict, now))
  deps.probe('intent.before')
  // INVARIANT: nothing is awaited between this check and the commit.
  if (next.ok && judged !== undefined && !isCallCurrent(deps, judged, row.server)) return 'lost'
  const recorded = await (next.ok
    ? deps.ledger.commit(plan.changes)
    : commitAndStop(deps.ledger, plan.changes, stopping))
  deps.probe('intent.after')
  if (recorded === 'committed') return row
  const lost = lostAt(recorded)
  if (lost !== undefined && plan.means[lost] === 'changed') await deps.catalogue.refresh(row.server)
  if (isInDoubt(recorded) && next.ok) {
    // Not sent, even if it turns out to be recorded as started: the judgement may no longer apply by then.
    const ended = endedUnstarted(before, problem('audit.in_doubt', { call_id: row.call_id, sent: 'no' }), now)
    endUnsent(deps, recorded.in_doubt, { stored: row, version: held.version + 1, ended })
  }
  return isUnrecorded(recorded) ? 'unavailable' : 'lost'
}

/**
 * A call that does not start. If it was interrupted before, it may have taken effect then: that is still unknown, whatever stops
 * it now, and a person is asked again.
 */
function endedUnstarted(before: CallRow, why: Problem, now: number): CallRow {
  const isCheck = why.code === 'call.check_failed' || why.code === 'call.dry_run_failed'
  if (before.state !== 'unknown')
    return { ...before, state: isCheck ? 'failed' : 'refused', ended_at: now, problem: why }
  return { ...before, problem: notRetried(why) }
}

function approvalChange(approval: Held<'approvals'> | undefined, allowed: boolean, now: number): Change[] {
  if (approval === undefined || approval.row.state !== 'approved') return []
  const moved = allowed ? consume(approval.row, now) : goStale(approval.row, now)
  if (!moved.ok) throw new Bug('an approved request that was just rechecked can be consumed or go stale')
  return [{ kind: 'swap', table: 'approvals', id: approval.row.approval_id, from: approval.version, to: moved.value }]
}
