import type { Call, CallRequest, CallRow, Outcome } from '../contract/call.ts'
import { ok, problem } from '../contract/problems.ts'
import type { RiskClass } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { strongWhereHidden } from '../approvals/hidden-places.ts'
import type { Facts } from '../decide/facts.ts'
import { freesAt } from '../decide/judge-budget.ts'
import { judgedOf } from '../policy/recorded-call.ts'
import { bytesOf, pendingChanges, type PendingLimits } from '../approvals/pending-limits.ts'
import { showRequest } from '../approvals/show-request.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import { isInDoubt } from '../changes/unrecorded.ts'
import { commitAndStop, stoppingChanges } from '../identity/quarantine.ts'
import type { Committed, InDoubt } from '../ports/ledger.ts'
import type { Ids, Probe } from '../ports/runtime.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { valueSources } from '../sessions/value-sources.ts'
import { changesFor, type Hold, type Recording } from './call-changes.ts'
import type { Ready } from './check-call.ts'
import { addToPlan } from './commit-plan.ts'
import { heldOrNext, type ClaimDeps } from './claim-held.ts'
import { describeCall } from './describe-call.ts'
import { earlierCall, keyOf, type EarlierDeps } from './earlier-call.ts'
import { endUnsent, type EndUnsentDeps } from './end-unsent.ts'
import type { StartedCall } from './execute-call.ts'
import { spendChanges } from '../decide/facts/budget-facts.ts'
import { consentChanges } from '../consents/facts/consent-facts.ts'
import { grantChanges } from '../identity/facts/grant-calls.ts'
import { integrityFinding } from './integrity-finding.ts'
import { isCallCurrent, type JudgedCall, type JudgeDeps } from './judge-call.ts'
import type { PreparedCall } from './prepare-call.ts'
import type { Preview } from './preview-call.ts'
import { refused, stopCall, type StopDeps } from './stop-call.ts'
import { redactOwnArgs } from '../../guests/content/redact-own-args.ts'
import { lookAlikeRecipients, type RecipientDeps } from './look-alike-recipients.ts'
import { maySyncLater } from './sync-later.ts'

export type RecordDeps = JudgeDeps &
  EarlierDeps &
  EndUnsentDeps &
  ClaimDeps &
  RecipientDeps &
  StopDeps & {
    readonly catalogue: Pick<LiveCatalogue, 'refresh'>
    readonly ids: Ids
    readonly probe: Probe
    readonly boot: string
    readonly holdFor: (verdict: Verdict, risk: RiskClass) => number
    readonly pendingLimits: PendingLimits
  }

type Shown = Extract<Preview, { is: 'previewed' }>
const rawIn = (preview: Shown | undefined) => (preview?.raw === undefined ? {} : { preview_raw: preview.raw })

/** A blocked call never runs, so its secrets need not be stored. The hash stays that of what was sent. */
async function withoutSecrets({ judgement, ownCredentials }: RecordDeps, call: Call): Promise<Call> {
  const redacted = await redactOwnArgs(judgement.scanner, call.canonical_args, ownCredentials())
  return { ...call, canonical_args: (await judgement.scanner.shownArgs(redacted)).args }
}

/** Step 6. Returns a started call for its execution, and the outcome of any other call. */
export async function recordCall(
  deps: RecordDeps,
  request: CallRequest,
  listeners: CallListeners | undefined,
  { call, tool }: PreparedCall,
  judged: JudgedCall,
  preview: Shown | undefined,
  ready: Ready,
): Promise<Outcome | StartedCall | 'overtaken'> {
  const { verdict: found, facts, policy_version, seen, generation } = judged
  const now = deps.clock()
  // What approvers see is computed once, here: listing requests must not search their arguments again.
  const shown = found.effect === 'ask' ? await showRequest(deps, { ...call, ...rawIn(preview) }) : undefined
  const verdict = shown === undefined ? found : strongWhereHidden(found, shown.hidden, now)
  const isAsk = verdict.effect === 'ask'
  const bytes = isAsk ? bytesOf(call.canonical_args, preview?.result, preview?.raw) : 0
  const pending = isAsk ? await pendingChanges(deps.accounts, deps.pendingLimits, call.caller, bytes) : NONE_PENDING
  if (!pending.ok) return stopCall(deps, { call, tool, integrity: facts.integrity }, judged, pending.problem, undefined)
  const storable = verdict.effect === 'block' ? await withoutSecrets(deps, call) : call
  const frees_at = verdict.effect === 'block' ? freesAt(facts.budgets) : undefined
  const recording: { -readonly [Field in keyof Recording]: Recording[Field] } = {
    now,
    boot: deps.boot,
    policy_version,
    judged: judgedOf(facts),
    idempotent: tool.idempotent,
    ready,
  }
  if (frees_at !== undefined) recording.frees_at = frees_at
  if (isAsk) recording.hold = holdOf(deps, call, verdict, facts, now, bytes)
  if (preview !== undefined) recording.preview = preview.result
  if (preview?.raw !== undefined) recording.preview_raw = preview.raw
  if (shown !== undefined) {
    recording.shown = shown
    recording.sources = await valueSources(deps, facts)
    recording.look_alikes = await lookAlikeRecipients(deps, call, shown.args)
  }
  if (request.idempotency_key !== undefined) recording.idempotency_key = keyOf(request, request.idempotency_key)
  // Read after the judgement: an equal call may have been held since.
  const equal = isAsk && request.executor === 'client' ? await heldOrNext(deps, call) : undefined
  if (equal !== undefined && 'status' in equal) return equal
  const plan = changesFor(storable, verdict, recording, seen.expects)
  const { row, changes } = plan
  const isStart = row.state === 'executing'
  if (equal !== undefined) addToPlan(plan, 'used_up', [{ kind: 'once', key: equal.next, until: row.held_until ?? now }])
  addToPlan(plan, 'taken', integrityFinding(call, verdict, now))
  addToPlan(plan, 'used_up', spendChanges(verdict, facts.budgets))
  addToPlan(plan, 'used_up', consentChanges(verdict, facts))
  addToPlan(plan, 'used_up', grantChanges(verdict, call.caller))
  addToPlan(plan, 'used_up', pending.value)
  const unsynced = isStart && maySyncLater(tool, row, changes, listeners)
  if (unsynced) changes.push({ kind: 'sync_later' })
  deps.probe('intent.before')
  // INVARIANT: nothing is awaited between this check and the commit of a start.
  if (isStart && !isCallCurrent(deps, judged, call.server)) return 'overtaken'
  const recorded = await (isStart
    ? deps.ledger.commit(changes)
    : commitAndStop(deps.ledger, changes, () => stoppingChanges(deps, call, verdict, now)))
  deps.probe('intent.after')
  if (recorded === 'committed')
    return isStart && row.executor === undefined
      ? { row, version: 1, generation, unsynced }
      : describeCall(row, deps.links)
  return unrecorded(deps, request, { call, tool, integrity: 'intact' }, plan, recorded)
}

const NONE_PENDING: Awaited<ReturnType<typeof pendingChanges>> = ok([])

const holdOf = (deps: RecordDeps, call: Call, verdict: Verdict, facts: Facts, now: number, bytes: number): Hold => ({
  approval_id: deps.ids.approval(),
  run_id: deps.ids.run(),
  expires_at: now + holdMs(call, deps.holdFor(verdict, facts.tool.risk)),
  bytes,
})

/** What happens to a call whose record was not committed. */
async function unrecorded(
  deps: RecordDeps,
  request: CallRequest,
  prepared: PreparedCall,
  { row, means }: ReturnType<typeof changesFor>,
  recorded: Exclude<Committed, 'committed'>,
): Promise<Outcome | 'overtaken'> {
  if (isInDoubt(recorded)) return notSent(deps, recorded, row)
  if (recorded === 'unavailable') return refused(problem('audit.unavailable'))
  switch (means[recorded.lost]) {
    case 'changed':
      await deps.catalogue.refresh(prepared.call.server)
      return 'overtaken'
    case 'same_key':
    case 'taken':
      return (await earlierCall(deps, request, prepared)) ?? refused(problem('audit.unavailable'))
    default:
      return 'overtaken'
  }
}

/** A document may require its requests to be decided sooner, never later. */
const holdMs = ({ by_run }: Call, most: number): number => Math.min(most, (by_run?.hold_s ?? Infinity) * 1_000)

/**
 * Whether the call is recorded will be known later, when nobody waits for it any more: it is not sent, and ended if it is
 * recorded.
 */
function notSent(deps: RecordDeps, { in_doubt }: InDoubt, row: CallRow): Outcome {
  const about = { call_id: row.call_id, sent: 'no' }
  const ended: CallRow = { ...row, state: 'failed', ended_at: deps.clock(), problem: problem('audit.in_doubt', about) }
  endUnsent(deps, in_doubt, { stored: row, version: 1, ended })
  return refused(problem('audit.in_doubt', about))
}
