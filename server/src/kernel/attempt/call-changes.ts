import { isoTime } from '../text/iso-time.ts'
import type { AuditEvent } from '../contract/audit-events.ts'
import type { ApprovalRow, ShownRequest } from '../contract/approval.ts'
import type { AuditDraft } from '../contract/audit.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import type { Call, CallRow, CallState, RecordedFacts, ToolResult } from '../contract/call.ts'
import type { ApprovalId, RunId } from '../contract/ids.ts'
import { Bug, problem } from '../contract/problems.ts'
import type { ValueSource } from '../sessions/value-source.ts'
import type { Verdict } from '../contract/verdict.ts'
import { consentNamed } from '../consents/cover-with-consent.ts'
import { heldCall, holdCall } from './held-call.ts'
import type { LookAlikeValue } from '../approvals/recipient-marks.ts'
import { beginRun } from '../runs/begin-run.ts'
import type { Change } from '../ports/ledger.ts'
import { newRunChanges } from '../runs/run-changes.ts'

/** What is known about an execution before it starts: for the call's row, and for the audit with hashes instead of values. */
export type Ready = {
  readonly parts: Pick<CallRow, 'rollback' | 'evidence'>
  readonly about?: NonNullable<AuditDraft['about']>
}

/** What the record of a new call needs besides the call and its verdict. */
export type Recording = {
  readonly now: number
  readonly boot: string
  readonly policy_version: string
  readonly judged: RecordedFacts
  readonly idempotent: boolean
  readonly idempotency_key?: string
  readonly preview?: ToolResult
  readonly preview_raw?: ToolResult
  /** For a held call: what approvers see. */
  readonly shown?: ShownRequest
  /** For a held call: where its values come from. */
  readonly sources?: readonly ValueSource[]
  /** For a held call: which of its recipients can be mistaken for others. */
  readonly look_alikes?: readonly LookAlikeValue[]
  /** What is known about an execution before it starts. */
  readonly ready?: Ready
  /** For a call over its budgets: when all of them have units again. */
  readonly frees_at?: number
  /** For a held call. */
  readonly hold?: Hold
}

export type Hold = {
  readonly approval_id: ApprovalId
  readonly run_id: RunId
  readonly expires_at: number
  readonly bytes: number
}

function holdIn({ hold }: Pick<Recording, 'hold'>): Hold {
  if (hold === undefined) throw new Bug('a call that is held has an approval')
  return hold
}

/**
 * Step 6 of the corridor as data: the call's first row and all related changes, in one commit. `expects`: what must still hold for
 * a call that starts.
 */
export function changesFor(
  call: Call,
  verdict: Verdict,
  recording: Recording,
  expects: readonly Change[] = [],
): CommitPlan & { readonly row: CallRow } {
  const row = firstRow(call, verdict, recording)
  const plan = { row, changes: [] as Change[], means: [] as LostMeans[] }
  if (row.state === 'executing') addToPlan(plan, 'changed', expects)
  addToPlan(plan, 'taken', [{ kind: 'swap', table: 'calls', id: row.call_id, from: 'absent', to: row }])
  if (row.idempotency_key !== undefined)
    addToPlan(plan, 'same_key', [{ kind: 'once', key: `call ${row.idempotency_key}`, until: FOR_EVER }])
  if (verdict.effect === 'ask') addToPlan(plan, 'taken', holdChanges(row, approvalFor(row, recording), recording.now))
  const about = recording.ready?.about
  const more = about === undefined ? { verdict } : { verdict, about }
  const entry = auditOf(TYPE_OF[verdict.effect], row, recording.now, more)
  addToPlan(plan, 'taken', [{ kind: 'audit', entry }])
  return plan
}

const FOR_EVER = Number.MAX_SAFE_INTEGER
const STATE_OF = { allow: 'executing', ask: 'pending', block: 'refused' } as const satisfies Record<string, CallState>
const TYPE_OF = { allow: 'call.started', ask: 'call.held', block: 'call.blocked' } as const

function firstRow(call: Call, verdict: Verdict, recording: Recording): CallRow {
  const { policy_version, judged, idempotent, idempotency_key, now, boot } = recording
  // One object per call: each effect adds its own fields.
  const row: { -readonly [Field in keyof CallRow]: CallRow[Field] } = {
    ...call,
    v: 1,
    state: STATE_OF[verdict.effect],
    verdict,
    policy_version,
    judged,
    idempotent,
    attempt: verdict.effect === 'allow' ? 1 : 0,
    identity: identityOf(call),
  }
  if (idempotency_key !== undefined) row.idempotency_key = idempotency_key
  switch (verdict.effect) {
    case 'allow':
      if (recording.ready?.parts !== undefined) Object.assign(row, recording.ready.parts)
      row.boot = boot
      row.started_at = now
      return row
    case 'ask': {
      const { approval_id, run_id, expires_at } = holdIn(recording)
      row.approval_id = approval_id
      row.run_id = run_id
      row.held_until = expires_at
      return row
    }
    case 'block':
      row.ended_at = now
      row.problem = blockedProblem(verdict, recording.frees_at)
      return row
    default:
      throw new Bug('a verdict has one of three effects')
  }
}

/** A forged call has its own code, and so does one that is only over a budget; any other block names the rules that blocked. */
export function blockedProblem(verdict: Verdict, frees_at?: number): CallRow['problem'] & object {
  const blocking = verdict.evidence.filter((opinion) => opinion.effect === 'block')
  const about = { rules: blocking.map((opinion) => opinion.rule).join(', '), says: blocking[0]?.says ?? '' }
  if (blocking.some((opinion) => opinion.decider === 'integrity')) return problem('call.integrity_mismatch', about)
  if (!isOverBudget(verdict)) return problem('call.blocked', about)
  const when = frees_at === undefined ? {} : { frees_at: isoTime(frees_at) }
  return problem('call.over_budget', { ...about, ...when })
}

/** Only a budget blocks it, and one of them is known to be used up. */
export function isOverBudget(verdict: Verdict): boolean {
  const blocking = verdict.evidence.filter((opinion) => opinion.effect === 'block')
  return blocking.length > 0 && blocking.every(({ decider, rule }) => decider === 'budget' && rule !== 'budget.unknown')
}

/** What is known about a request when it is made. */
type Requested = Pick<Recording, 'now' | 'hold' | 'preview' | 'preview_raw' | 'shown' | 'sources' | 'look_alikes'>

export function approvalFor(row: CallRow, recording: Requested): ApprovalRow {
  const { approval_id, run_id, expires_at, bytes } = holdIn(recording)
  return {
    ...requestOf(row),
    ...routeIn(row.verdict, recording.now),
    approval_id,
    run_id,
    created_at: recording.now,
    expires_at,
    counted: { bytes },
    ...(recording.preview === undefined ? {} : { preview: recording.preview }),
    ...(recording.preview_raw === undefined ? {} : { preview_raw: recording.preview_raw }),
    ...(recording.shown === undefined ? {} : { shown: recording.shown }),
    ...(recording.sources === undefined || recording.sources.length === 0 ? {} : { sources: recording.sources }),
    ...(recording.look_alikes === undefined || recording.look_alikes.length === 0
      ? {}
      : { look_alikes: recording.look_alikes }),
  }
}

/** Who is asked, with the time of the escalation. */
export function routeIn({ route }: Verdict, created_at: number): Pick<ApprovalRow, 'route'> {
  if (route === undefined) return {}
  const { escalation } = route
  return {
    route: { ...route, ...(escalation === undefined ? {} : { escalates_at: created_at + escalation.after_ms }) },
  }
}

/** The parts of an approval request that come from the call. */
export function requestOf(row: CallRow): Omit<ApprovalRow, 'approval_id' | 'run_id' | 'created_at' | 'expires_at'> {
  return {
    v: 1,
    call_id: row.call_id,
    tool_id: row.tool_id,
    definition_hash: row.definition_hash,
    canonical_args: row.canonical_args,
    args_hash: row.args_hash,
    caller: row.caller,
    thread: row.thread,
    ...(row.by_run === undefined ? {} : { by_run: row.by_run }),
    identity: rejectionIdentityOf(row),
    policy_version: row.policy_version,
    strength: row.verdict.strength ?? 'simple',
    evidence: row.verdict.evidence,
    state: 'pending',
    decisions: [],
  }
}

/** The request, and the run that waits for it. */
export function holdChanges(row: CallRow, approval: ApprovalRow, now: number): Change[] {
  const first = holdCall(row, approval.approval_id, approval.expires_at, approval.route?.escalates_at)
  const run = beginRun(heldCall, approval.run_id, first, now, { owner: callerIdentity(row.caller), thread: row.thread })
  return [
    { kind: 'swap', table: 'approvals', id: approval.approval_id, from: 'absent', to: approval },
    ...newRunChanges(run),
  ]
}

/** An audit entry about a call. Arguments are included only as their hash. */
export function auditOf(
  type: AuditEvent,
  row: Call & Pick<CallRow, 'approval_id'>,
  at: number,
  more: Partial<Pick<AuditDraft, 'actor' | 'verdict' | 'outcome' | 'about'>> = {},
): AuditDraft {
  // In the order of the canonical text.
  const subject: Record<string, string> = { call: row.call_id, thread: row.thread, tool: row.tool_id }
  if (row.approval_id !== undefined) subject['approval'] = row.approval_id
  const consent = type === 'call.started' && more.verdict !== undefined ? consentNamed(more.verdict) : undefined
  if (consent !== undefined) subject['consent'] = consent
  return { at, type, actor: row.caller.id, trace: row.trace, subject, args_hash: row.args_hash, ...more }
}

/** What it means for a call that one of its changes made the commit lose. */
export type LostMeans =
  /** A pause, the tool or a key was changed since the judgement: refresh the catalogue, judge again. */
  | 'changed'
  /** Another call took the last unit of a budget, a consent, a key or a limit, or an equal call was held first: judge again. */
  | 'used_up'
  /** Another request used the idempotency key first: answer with its call. */
  | 'same_key'
  /** Another process changed the call or its request first. */
  | 'taken'

/**
 * The changes of one commit and, at the same index, what losing each of them means. A list beside the changes, because those go to the
 * store as they are. An index beyond both belongs to a change that was added on the way: judge again.
 */
export type CommitPlan = { readonly changes: Change[]; readonly means: LostMeans[] }

export function addToPlan({ changes, means }: CommitPlan, meaning: LostMeans, added: readonly Change[]): void {
  for (const change of added) {
    changes.push(change)
    means.push(meaning)
  }
}

/**
 * One key for caller, tool and arguments: two calls with the same key are the same call made twice. The thread is not part of it,
 * because callers name threads themselves, and a new name must not make an old call look new.
 */
export function identityOf({ caller, tool_id, args_hash }: Pick<Call, 'caller' | 'tool_id' | 'args_hash'>): string {
  return JSON.stringify([caller.id, caller.user, tool_id, args_hash])
}

/** The same for rejections, which also apply to arguments that differ only invisibly. */
export function rejectionIdentityOf(call: Pick<Call, 'caller' | 'tool_id' | 'args_hash' | 'folded_hash'>): string {
  return call.folded_hash === undefined ? identityOf(call) : identityOf({ ...call, args_hash: call.folded_hash })
}
