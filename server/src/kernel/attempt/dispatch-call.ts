import type { Call, CallRequest, Outcome, ToolResult } from '../contract/call.ts'
import { ok, problem, type Problem, type Result } from '../contract/problems.ts'
import { invalidKey, invalidThread, isIdempotencyKey, isThreadName } from '../contract/request-names.ts'
import { consentNamed } from '../consents/cover-with-consent.ts'
import { whyUnrecorded } from '../changes/unrecorded.ts'
import { withResult } from '../ports/maybe-promise.ts'
import { idleSession } from '../identity/idle-session.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Change } from '../ports/ledger.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { recordUserWords } from '../sessions/record-user-words.ts'
import { textLabel } from '../sessions/labels.ts'
import type { AskDeps } from './run-read-back.ts'
import { checkCall, UNCHECKED, type Checked } from './check-call.ts'
import { claimHeld, type ClaimDeps } from './claim-held.ts'
import { earlierCall } from './earlier-call.ts'
import type { ExecuteCall } from './execute-call.ts'
import { callsLeft } from '../identity/facts/grant-calls.ts'
import type { Intake } from './intake.ts'
import { judgeCall, type Ahead, type JudgedCall } from './judge-call.ts'
import { prepareCall, type PreparedCall, type PrepareDeps } from './prepare-call.ts'
import { previewCall, previewWanted, type Preview, type PreviewDeps, type Wanted } from './preview-call.ts'
import { recordCall, type RecordDeps } from './record-call.ts'
import type { StoredVolume } from './stored-volume.ts'
import { refused, stopCall } from './stop-call.ts'

export type DispatchDeps = PrepareDeps &
  ClaimDeps &
  AskDeps &
  PreviewDeps &
  RecordDeps & {
    readonly catalogue: Catalogue
    readonly intake: Intake
    readonly execute: ExecuteCall
    readonly volume: StoredVolume
  }

/**
 * The only way from a door to a tool: prepare, gather facts, decide, preview, record, then execute, hold or refuse. Most steps return their
 * result synchronously, so they are awaited only if they return a promise.
 *
 * If the commit is lost because something changed in between (the last units were taken, the tool was paused or changed, the key was
 * revoked), the call is judged again. The last attempt ignores consents, because others took their units every time, so a person is asked.
 */
export async function dispatchCall(
  deps: DispatchDeps,
  asked: CallRequest,
  listeners?: CallListeners,
): Promise<Outcome> {
  const beginning = begin(deps, asked)
  const begun = beginning instanceof Promise ? await beginning : beginning
  if ('status' in begun) return begun
  const { request, first } = begun
  const { call, integrity } = first
  const checkingVolume = deps.volume.over(request.caller)
  const over = checkingVolume instanceof Promise ? await checkingVolume : checkingVolume
  if (over !== undefined) return refused(over)
  let preview: Preview = { is: 'none' }
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const left = callsLeft(deps.accounts, request.caller)
    if (left !== undefined && (await left) === 0) return refuseUnprepared(deps, request, problem('key.exhausted'))
    const tool = deps.catalogue.tool(call.tool_id) ?? first.tool
    const prepared: PreparedCall = tool === first.tool ? first : { call, tool, integrity }
    const judging = judgeCall(deps, call, tool, prepared, tries < TRIES ? NO_CONSENT_SPENT : undefined)
    const judged = judging instanceof Promise ? await judging : judging
    const { verdict } = judged
    if (preview.is !== 'previewed') {
      const wanted = previewWanted(verdict, request.dry_run)
      const previewing = previewCall(deps, prepared, withoutConsent(judged, wanted), wanted)
      preview = previewing instanceof Promise ? await previewing : previewing
    }
    if (preview.is === 'overtaken') {
      await deps.catalogue.refresh(call.server)
      continue
    }
    if (preview.is === 'stopped') return stopCall(deps, prepared, judged, preview.problem, preview.result)
    if (request.dry_run === 'only' && preview.is === 'previewed') {
      const labelled = await deps.ledger.commit(previewLabel(call, preview.result, deps.clock()))
      if (labelled !== 'committed') return refused(whyUnrecorded(labelled))
      deps.volume.add(request.caller, JSON.stringify(preview.result))
      return { status: 'previewed', tool: tool.row.tool_id, verdict, preview: preview.result }
    }
    const checking = check(deps, prepared, judged, tries)
    const checked = checking instanceof Promise ? await checking : checking
    if (checked.is === 'stopped') {
      // A check may fail because the same call, with the same key, has just run.
      const earlier = await earlierCall(deps, request, prepared)
      return earlier ?? stopCall(deps, prepared, judged, checked.problem, undefined, checked.ready)
    }
    const shown = preview.is === 'previewed' ? preview : undefined
    const started = await recordCall(deps, request, listeners, prepared, judged, shown, checked.ready)
    if (started === 'overtaken') continue
    deps.volume.add(request.caller, call.canonical_args, shown === undefined ? '' : JSON.stringify(shown.result))
    if ('status' in started) return started
    return deps.execute(started, listeners)
  }
  return refused(problem('audit.unavailable'))
}

/** A prepared call, and the request that it is judged for. */
type Begun = { readonly request: CallRequest; readonly first: PreparedCall }

/** Steps 1 to 3. Returns an outcome if there is one already. */
function begin(deps: DispatchDeps, request: CallRequest): MaybePromise<Outcome | Begun> {
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return refused(closed)
  return withResult(threadOf(deps, request), (thread) =>
    thread.ok ? prepare(deps, request, thread.value) : refuseUnprepared(deps, request, thread.problem),
  )
}

function prepare(deps: DispatchDeps, request: CallRequest, thread: string): MaybePromise<Outcome | Begun> {
  return withResult(prepareCall(deps, request, thread), (prepared) =>
    prepared.ok ? beginPrepared(deps, request, prepared.value) : refuseUnprepared(deps, request, prepared.problem),
  )
}

function beginPrepared(deps: DispatchDeps, request: CallRequest, first: PreparedCall): MaybePromise<Outcome | Begun> {
  const { idempotency_key, executor, words } = request
  if (first.integrity !== 'intact') {
    // A forged call neither uses an idempotency key nor gets the outcome stored for it.
    const { idempotency_key: _, ...unkeyed } = request
    return { request: unkeyed, first }
  }
  const isNew = idempotency_key === undefined && executor !== 'client' && words === undefined
  return isNew ? { request, first } : lookBack(deps, request, first)
}

/** The outcome of an earlier request for the same call, if there is one. Records the user's words. */
async function lookBack(deps: DispatchDeps, request: CallRequest, first: PreparedCall): Promise<Outcome | Begun> {
  const earlier = request.idempotency_key === undefined ? undefined : await earlierCall(deps, request, first)
  if (earlier !== undefined) return earlier
  const claimed = request.executor === 'client' ? await claimHeld(deps, first.call) : undefined
  if (claimed !== undefined) return claimed
  const recordedWords = request.words === undefined ? undefined : await recordWords(deps, request.words, first.call)
  return recordedWords?.ok === false ? refused(recordedWords.problem) : { request, first }
}

/** The user's words are recorded before the call that acts on them. */
const recordWords = (
  deps: DispatchDeps,
  text: NonNullable<CallRequest['words']>,
  { call_id, caller, thread }: Call,
): Promise<Result<void>> => recordUserWords(deps, { caller, thread, text, id: call_id })

/**
 * The session that the caller names, otherwise its default session, which ends after a long pause. Names chosen by callers are validated
 * here.
 */
function threadOf(deps: DispatchDeps, { caller, thread, idempotency_key }: CallRequest): MaybePromise<Result<string>> {
  if (idempotency_key !== undefined && !isIdempotencyKey(idempotency_key)) return { ok: false, problem: invalidKey() }
  if (thread === undefined) return idleSession(deps, caller)
  return isThreadName(thread) ? ok(thread) : { ok: false, problem: invalidThread() }
}

const TRIES = 8

/** A dry run spends nothing, so no consent covers one: it gets the same answer as a held call. */
function withoutConsent(judged: JudgedCall, wanted: Wanted): JudgedCall {
  const { verdict } = judged
  return wanted !== undefined && consentNamed(verdict) !== undefined
    ? { ...judged, verdict: { ...verdict, effect: 'ask' } }
    : judged
}

const NO_CONSENT_SPENT: Ahead = {}

/** The result of a dry run enters the session like every other answer. */
function previewLabel({ call_id, caller, thread, server, tool_id }: Call, preview: ToolResult, at: number): Change[] {
  const source = { server, name: tool_id }
  return textLabel({ id: call_id, caller, thread, kind: 'preview', source, text: JSON.stringify(preview), at })
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

/**
 * A request that is rejected before it becomes a call is recorded too, so that probing for tools is visible. A name that no tool has can
 * be any text, which could not be erased from the audit, so only its digest is recorded.
 */
async function refuseUnprepared(deps: DispatchDeps, request: CallRequest, why: Problem): Promise<Outcome> {
  const isTool = deps.catalogue.tool(request.tool) !== undefined
  const recorded = await deps.ledger.commit([
    {
      kind: 'audit',
      entry: {
        at: deps.clock(),
        type: 'call.refused',
        actor: request.caller.id,
        trace: request.trace ?? deps.ids.trace(),
        subject: isTool ? { tool: request.tool } : {},
        outcome: 'refused',
        about: { code: why.code, ...(isTool ? {} : { name_hash: deps.digest(request.tool) }) },
      },
    },
  ])
  return refused(recorded === 'committed' ? why : whyUnrecorded(recorded))
}
