import type { Call, CallRequest, CallRow, Outcome, ToolResult } from '../../contract/call.ts'
import { ok, problem, type Problem, type Result } from '../../contract/problems.ts'
import { invalidKey, invalidThread, isIdempotencyKey, isThreadName } from '../../contract/request-names.ts'
import type { RiskClass } from '../../contract/tool.ts'
import type { Verdict } from '../../contract/verdict.ts'
import { strongWhereHidden } from '../../core/approvals/hidden-places.ts'
import { consentNamed } from '../../core/consent/cover-with-consent.ts'
import { freesAt } from '../../core/gate/judge-budget.ts'
import { scopedKey } from '../../core/identity/idempotency-key.ts'
import { bytesOf, isLostToPending, pendingChanges, type PendingLimits } from '../approvals/pending-limits.ts'
import { claimHeld, type ClaimDeps } from './claim-held.ts'
import type { AskDeps } from './run-read-back.ts'
import { judgedOf } from '../../core/gate/policy/recorded-call.ts'
import { auditOf, blockedProblem, changesFor } from './call-changes.ts'
import { checkCall, UNCHECKED, type Checked, type Ready } from './check-call.ts'
import { describeCall, type Links } from './describe-call.ts'
import { idleSession } from '../identity/idle-session.ts'
import type { ExecuteCall } from './execute-call.ts'
import { isLostToBudget, spendChanges } from './facts/budget-facts.ts'
import { consentChanges, isLostToConsent } from './facts/consent-facts.ts'
import { callsLeft, grantChanges, isLostToGrant } from './facts/grant-calls.ts'
import type { Intake } from './intake.ts'
import { integrityFinding } from './integrity-finding.ts'
import { isLostToOthers } from './facts/changeable-facts.ts'
import { isCallStanding, judgeCall, type JudgedCall, type JudgeDeps } from './judge-call.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import { isInDoubt, whyUnrecorded } from '../changes/unrecorded.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Change, InDoubt, Ledger } from '../ports/ledger.ts'
import type { Probe } from '../ports/runtime.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { endUnsent, type EndUnsentDeps } from './end-unsent.ts'
import { prepareCall, type PreparedCall, type PrepareDeps } from './prepare-call.ts'
import { previewCall, previewWanted, type Preview, type PreviewDeps, type Wanted } from './preview-call.ts'
import { commitAndStop } from '../identity/quarantine.ts'
import { showRequest } from '../approvals/show-request.ts'
import { valueSources } from '../provenance/value-sources.ts'
import { enterCall, type EnterDeps } from '../provenance/enter-session.ts'
import { recordUserWords } from '../provenance/record-user-words.ts'
import { outputLabel, textLabel } from '../provenance/labels.ts'
import { redactOwnArgs } from './redact-own-args.ts'
import { maySyncLater } from './sync-later.ts'

export type DispatchDeps = PrepareDeps &
  ClaimDeps &
  EndUnsentDeps &
  EnterDeps &
  JudgeDeps &
  AskDeps &
  PreviewDeps & {
    readonly catalogue: Catalogue & Pick<LiveCatalogue, 'refresh'>
    readonly intake: Intake
    readonly ledger: Ledger
    readonly execute: ExecuteCall
    readonly links: Links
    readonly probe: Probe
    readonly boot: string
    readonly holdFor: (verdict: Verdict, risk: RiskClass) => number
    readonly pendingLimits: PendingLimits
  }

/** The only way from a door to a tool: prepare, gather facts, decide, preview, record, then execute, hold or refuse. */
export async function dispatchCall(
  deps: DispatchDeps,
  request: CallRequest,
  listeners?: CallListeners,
): Promise<Outcome> {
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return refused(closed)
  const thread = await threadOf(deps, request)
  if (!thread.ok) return refuseUnprepared(deps, request, thread.problem)
  const prepared = await prepareCall(deps, { ...request, thread: thread.value })
  if (!prepared.ok) return refuseUnprepared(deps, request, prepared.problem)
  if (prepared.value.integrity !== 'intact') {
    // A forged call neither uses an idempotency key nor gets the outcome stored for it.
    const { idempotency_key: _, ...unkeyed } = request
    return judgeAndGo(deps, { request: unkeyed, listeners }, prepared.value)
  }
  const earlier = request.idempotency_key === undefined ? undefined : await earlierCall(deps, request, prepared.value)
  if (earlier !== undefined) return earlier
  const claimed = request.executor === 'client' ? await claimHeld(deps, prepared.value.call) : undefined
  if (claimed !== undefined) return claimed
  const heard = await hear(deps, request, prepared.value.call)
  return heard.ok ? await judgeAndGo(deps, { request, listeners }, prepared.value) : refused(heard.problem)
}

/** The user's words are recorded before the call that acts on them. */
function hear(
  deps: DispatchDeps,
  { words }: CallRequest,
  { call_id, caller, thread }: Call,
): Result<void> | Promise<Result<void>> {
  return words === undefined ? ok(undefined) : recordUserWords(deps, { caller, thread, text: words, id: call_id })
}

/**
 * The session that the caller names, otherwise its calls without a long pause. The names that callers choose are validated here.
 */
async function threadOf(deps: DispatchDeps, { caller, thread, idempotency_key }: CallRequest): Promise<Result<string>> {
  if (idempotency_key !== undefined && !isIdempotencyKey(idempotency_key)) return { ok: false, problem: invalidKey() }
  if (thread === undefined) return idleSession(deps, caller)
  return isThreadName(thread) ? ok(thread) : { ok: false, problem: invalidThread() }
}

/** What a door passes in: the request, and the client that waits for it. */
type Asked = { readonly request: CallRequest; readonly listeners: CallListeners | undefined }

const TRIES = 8

/** A dry run spends nothing, so no consent covers one: it gets the same answer as a held call. */
function withoutConsent(verdict: Verdict, wanted: Wanted): Verdict {
  return wanted !== undefined && consentNamed(verdict) !== undefined ? { ...verdict, effect: 'ask' } : verdict
}

/**
 * If the commit is lost because something changed in between (the last units were taken, the tool was paused or changed, the key was
 * revoked), the call is judged again. In the last attempt consents are ignored, because others took them every time, so a person is asked.
 */
async function judgeAndGo(deps: DispatchDeps, asked: Asked, first: PreparedCall): Promise<Outcome> {
  const { request } = asked
  const { call, integrity } = first
  let preview: Preview = { is: 'none' }
  for (let tries = 1; tries <= TRIES; tries += 1) {
    if ((await callsLeft(deps.accounts, request.caller)) === 0)
      return refuseUnprepared(deps, request, problem('key.exhausted'))
    const tool = deps.catalogue.tool(call.tool_id) ?? first.tool
    const prepared: PreparedCall = { call, tool, integrity }
    const judged = await judgeCall(deps, call, tool, { integrity }, tries < TRIES ? {} : undefined)
    const { verdict } = judged
    if (preview.is !== 'previewed') {
      const wanted = previewWanted(verdict, request.dry_run)
      preview = await previewCall(deps, prepared, { ...judged, verdict: withoutConsent(verdict, wanted) }, wanted)
    }
    if (preview.is === 'overtaken') {
      await deps.catalogue.refresh(call.server)
      continue
    }
    if (preview.is === 'stopped') return stopped(deps, prepared, judged, preview.problem, preview.result)
    if (request.dry_run === 'only' && preview.is === 'previewed') {
      const labelled = await deps.ledger.commit(previewLabel(call, preview.result, deps.clock()))
      if (labelled !== 'committed') return refused(whyUnrecorded(labelled))
      return { status: 'previewed', tool: tool.row.tool_id, verdict, preview: preview.result }
    }
    const shown = preview.is === 'previewed' ? preview : undefined
    const outcome = await checkAndRecord(deps, asked, prepared, judged, shown, tries)
    if (outcome !== 'overtaken') return outcome
  }
  return refused(problem('audit.unavailable'))
}

/** The result of a dry run enters the session like every other answer. */
function previewLabel({ call_id, caller, thread, server, tool_id }: Call, preview: ToolResult, at: number): Change[] {
  const source = { server, name: tool_id }
  return textLabel({ id: call_id, caller, thread, kind: 'preview', source, text: JSON.stringify(preview), at })
}

type Shown = Extract<Preview, { is: 'previewed' }>
const rawIn = (preview: Shown | undefined) => (preview?.raw === undefined ? {} : { preview_raw: preview.raw })

async function checkAndRecord(
  deps: DispatchDeps,
  asked: Asked,
  prepared: PreparedCall,
  judged: JudgedCall,
  preview: Shown | undefined,
  tries: number,
): Promise<Outcome | 'overtaken'> {
  const checked = await check(deps, prepared, judged, tries)
  if (checked.is === 'ready') return await record(deps, asked, prepared, judged, preview, checked.ready)
  // A check may fail because the same call, under the same key, has just run.
  const earlier = await earlierCall(deps, asked.request, prepared)
  return earlier ?? stopped(deps, prepared, judged, checked.problem, undefined, checked.ready)
}

/** Only a call that may run is checked, because the check calls the tool server. */
function check(
  deps: DispatchDeps,
  { call, tool }: PreparedCall,
  { verdict }: JudgedCall,
  tries: number,
): Checked | Promise<Checked> {
  return verdict.effect === 'allow' ? checkCall(deps, call, tool, `1${tries === 1 ? '' : `.${tries}`}`) : UNCHECKED
}

/** A blocked call never runs, so its secrets need not be stored. The hash stays that of what was sent. */
async function storable({ judgement, ownCredentials }: DispatchDeps, call: Call, verdict: Verdict): Promise<Call> {
  if (verdict.effect !== 'block') return call
  const redacted = await redactOwnArgs(judgement.scanner, call.canonical_args, ownCredentials())
  return { ...call, canonical_args: (await judgement.scanner.shownArgs(redacted)).args }
}

async function record(
  deps: DispatchDeps,
  { request, listeners }: Asked,
  { call, tool }: PreparedCall,
  judged: JudgedCall,
  preview: Shown | undefined,
  ready: Ready,
): Promise<Outcome | 'overtaken'> {
  const { verdict: found, facts, policy_version, seen } = judged
  const now = deps.clock()
  // What approvers see is computed once, here: listing requests must not search their arguments again.
  const shown = found.effect === 'ask' ? await showRequest(deps, { ...call, ...rawIn(preview) }) : undefined
  const verdict = strongWhereHidden(found, shown?.hidden ?? [], now)
  const frees_at = freesAt(facts.budgets)
  const isAsk = verdict.effect === 'ask'
  const bytes = isAsk ? bytesOf(call.canonical_args, preview?.result, preview?.raw) : 0
  const pending = isAsk ? await pendingChanges(deps.accounts, deps.pendingLimits, call.caller, bytes) : ok([])
  if (!pending.ok) return stopped(deps, { call, tool, integrity: facts.integrity }, judged, pending.problem, undefined)
  const { row, changes: recording } = changesFor(await storable(deps, call, verdict), verdict, {
    now,
    ...(frees_at === undefined ? {} : { frees_at }),
    boot: deps.boot,
    policy_version,
    judged: judgedOf(facts),
    idempotent: tool.idempotent,
    ...(isAsk
      ? {
          hold: {
            approval_id: deps.ids.approval(),
            run_id: deps.ids.run(),
            expires_at: now + holdMs(call, deps.holdFor(verdict, facts.tool.risk)),
            bytes,
          },
        }
      : {}),
    ready,
    ...(preview === undefined ? {} : { preview: preview.result, ...rawIn(preview) }),
    ...(shown === undefined ? {} : { shown, sources: await valueSources(deps, facts) }),
    ...(request.idempotency_key === undefined ? {} : { idempotency_key: keyOf(request, request.idempotency_key) }),
  })
  const isStart = row.state === 'executing'
  const whole: Change[] = [
    ...(isStart ? seen.expects : []),
    ...recording,
    ...integrityFinding(call, verdict, now),
    ...spendChanges(verdict, facts.budgets),
    ...consentChanges(verdict, facts),
    ...grantChanges(verdict, call.caller),
    ...pending.value,
  ]
  const unsynced = isStart && maySyncLater(tool, row, whole, listeners)
  const changes: Change[] = unsynced ? [...whole, { kind: 'sync_later' }] : whole
  deps.probe('intent.before')
  // Nothing may come between this check and the commit of a start.
  if (isStart && !isCallStanding(deps, judged, call.server)) return 'overtaken'
  const recorded = await (isStart ? deps.ledger.commit(changes) : commitAndStop(deps, call, verdict, now, changes))
  deps.probe('intent.after')
  if (recorded === 'committed')
    return isStart && row.executor === undefined
      ? await deps.execute({ row, version: 1, generation: judged.generation, unsynced }, listeners)
      : describeCall(row, deps.links)
  if (isInDoubt(recorded)) return notSent(deps, recorded, row)
  if (recorded === 'unavailable') return refused(problem('audit.unavailable'))
  if (isLostToOthers(changes, recorded)) {
    await deps.catalogue.refresh(call.server)
    return 'overtaken'
  }
  const isOvertaken = [isLostToBudget, isLostToConsent, isLostToGrant, isLostToPending].some((isLost) =>
    isLost(changes, recorded),
  )
  if (isOvertaken) return 'overtaken'
  // The only other expectation that another caller can break is the idempotency key: somebody else was first.
  const earlier = await earlierCall(deps, request, { call, tool, integrity: 'intact' })
  return earlier ?? refused(problem('audit.unavailable'))
}

/** A document may require its requests to be decided sooner, never later. */
const holdMs = ({ by_run }: Call, most: number): number => Math.min(most, (by_run?.hold_s ?? Infinity) * 1_000)

/**
 * Whether the call is recorded will be known later, when nobody waits for it any more: it is not sent, and ended if it is
 * recorded.
 */
function notSent(deps: DispatchDeps, { in_doubt }: InDoubt, row: CallRow): Outcome {
  const about = { call_id: row.call_id, sent: 'no' }
  const ended: CallRow = { ...row, state: 'failed', ended_at: deps.clock(), problem: problem('audit.in_doubt', about) }
  endUnsent(deps, in_doubt, { stored: row, version: 1, ended })
  return refused(problem('audit.in_doubt', about))
}

/** The same caller, key, tool and arguments are the same call; anything else under that key is a mistake. */
async function earlierCall(
  deps: DispatchDeps,
  request: CallRequest,
  { call }: PreparedCall,
): Promise<Outcome | undefined> {
  if (request.idempotency_key === undefined) return undefined
  const [earlier] = await deps.tables.list(
    'calls',
    { idempotency_key: keyOf(request, request.idempotency_key) },
    { limit: 1 },
  )
  if (earlier === undefined) return undefined
  const isSame = earlier.row.tool_id === call.tool_id && earlier.row.args_hash === call.args_hash
  // Its answer is no longer known, and it must not run twice.
  if (isSame && earlier.row.expired_at !== undefined)
    return refused(problem('call.expired', { call_id: earlier.row.call_id, state: earlier.row.state }))
  if (!isSame) return refused(problem('call.key_reused', { call_id: earlier.row.call_id }))
  // It may have been made in another session of this caller.
  const entered = await enterCall(deps, call, earlier.row)
  return entered.ok ? describeCall(earlier.row, deps.links) : refused(entered.problem)
}

const keyOf = ({ caller, by_run, round }: CallRequest, key: string) =>
  scopedKey(
    caller,
    key,
    by_run === undefined ? { is: 'call', ...(round === undefined ? {} : { round }) } : { is: 'run' },
  )

/** A request that never became a call is recorded too, so that probing for tools is visible. */
async function refuseUnprepared(deps: DispatchDeps, request: CallRequest, why: Problem): Promise<Outcome> {
  const recorded = await deps.ledger.commit([
    {
      kind: 'audit',
      entry: {
        at: deps.clock(),
        type: 'call.refused',
        actor: request.caller.id,
        trace: request.trace ?? deps.ids.trace(),
        subject: { tool: request.tool.slice(0, 128) },
        outcome: 'refused',
        about: { code: why.code },
      },
    },
  ])
  return refused(recorded === 'committed' ? why : whyUnrecorded(recorded))
}

/** A failing check, or a failing or missing dry run, stops the call before anything is executed or held. */
async function stopped(
  deps: DispatchDeps,
  { call, tool }: PreparedCall,
  { verdict, facts, policy_version }: JudgedCall,
  why: Problem,
  result: ToolResult | undefined,
  ready: Ready = { parts: {} },
): Promise<Outcome> {
  const row: CallRow = {
    ...call,
    ...ready.parts,
    v: 1,
    state: 'failed',
    verdict,
    policy_version,
    judged: judgedOf(facts),
    idempotent: tool.idempotent,
    attempt: 0,
    ended_at: facts.now,
    problem: why.code === 'call.blocked' ? blockedProblem(verdict, freesAt(facts.budgets)) : why,
    ...(result === undefined ? {} : { result }),
  }
  const isFailed = why.code === 'call.dry_run_failed' || why.code === 'call.check_failed'
  const settled: CallRow = isFailed ? row : { ...row, state: 'refused' }
  const recorded = await commitAndStop(deps, call, verdict, facts.now, [
    { kind: 'swap', table: 'calls', id: row.call_id, from: 'absent', to: settled },
    {
      kind: 'audit',
      entry: auditOf('call.stopped', settled, facts.now, {
        verdict,
        outcome: settled.state,
        about: { code: why.code, ...ready.about },
      }),
    },
    ...outputLabel(settled, 0, facts.now),
    ...integrityFinding(call, verdict, facts.now),
  ])
  return recorded === 'committed' ? describeCall(settled, deps.links) : refused(whyUnrecorded(recorded))
}

function refused(why: Problem): Outcome {
  return { status: 'refused', problem: why, evidence: [] }
}
