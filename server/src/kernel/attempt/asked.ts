import type { Call, CallRequest, Outcome } from '../contract/call.ts'
import { ok, problem, type Problem, type Result } from '../contract/problems.ts'
import { invalidKey, invalidThread, isIdempotencyKey, isThreadName } from '../contract/request-names.ts'
import { whyUnrecorded } from '../changes/unrecorded.ts'
import { callsLeft } from '../identity/facts/grant-calls.ts'
import { idleSession } from '../identity/idle-session.ts'
import { withResult } from '../ports/maybe-promise.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { recordUserWords } from '../sessions/record-user-words.ts'
import { planAsked, type AskedCase, type AskedPlanDeps } from './asked-plan.ts'
import { attempt, type Ended, type AttemptRole } from './attempt.ts'
import { claimHeld, earlierCall, type EarlierDeps } from './earlier-call.ts'
import { refused } from './describe-call.ts'
import type { Intake } from './intake.ts'
import { judgeCall, type Ahead } from './judge-call.ts'
import { prepareCall, type PreparedCall, type PrepareDeps } from './prepare-call.ts'

export type AskedDeps = PrepareDeps & EarlierDeps & AskedPlanDeps & { readonly intake: Intake }

type Begun = PreparedCall & { readonly request: CallRequest }
type Answered = Ended<never>

const ROUNDS = 8

/**
 * A new call. A lost idempotency key is answered with the earlier call. The last round ignores consents, because others took their units
 * every time, so a person is asked.
 */
export const asked: AttemptRole<AskedDeps, CallRequest, AskedCase, never> = {
  rounds: ROUNDS,
  load: (deps, request, round, before) =>
    before === undefined
      ? withResult(begin(deps, request), (begun) => ('ending' in begun ? begun : withinVolume(deps, begun)))
      : withinGrant(deps, before, round),
  judge: (deps, one) => judgeCall(deps, one.call, one.tool, one, one.ahead),
  // A check or a dry run may fail because the same call, with the same key, has just run.
  stopped: earlier,
  plan: planAsked,
  taken: async (deps, one) => (await earlier(deps, one)) ?? { ending: refused(problem('audit.unavailable')) },
  unsent: (_one, { row }, why, now) => ({ ...row, state: 'failed', ended_at: now, problem: why }),
  giveUp: refused,
}

/** What the doors call. */
export const dispatchCall = (deps: AskedDeps, request: CallRequest, listeners?: CallListeners): Promise<Outcome> =>
  attempt(deps, asked, request, listeners)

async function earlier(deps: AskedDeps, { request, call }: AskedCase): Promise<Answered | undefined> {
  const ending = await earlierCall(deps, request, call)
  return ending && { ending }
}

/** Steps 1 to 3 of the corridor. */
function begin(deps: AskedDeps, request: CallRequest): MaybePromise<Begun | Answered> {
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return { ending: refused(closed) }
  return withResult(threadOf(deps, request), (thread) =>
    thread.ok ? prepare(deps, request, thread.value) : refuseUnprepared(deps, request, thread.problem),
  )
}

function prepare(deps: AskedDeps, request: CallRequest, thread: string): MaybePromise<Begun | Answered> {
  return withResult(prepareCall(deps, request, thread), (prepared) =>
    prepared.ok ? beginPrepared(deps, request, prepared.value) : refuseUnprepared(deps, request, prepared.problem),
  )
}

function beginPrepared(deps: AskedDeps, request: CallRequest, prepared: PreparedCall): MaybePromise<Begun | Answered> {
  const { idempotency_key, executor, words } = request
  if (prepared.integrity !== 'intact') {
    // A forged call neither uses an idempotency key nor gets the outcome stored for it.
    const { idempotency_key: _, ...unkeyed } = request
    return { ...prepared, request: unkeyed }
  }
  const begun = { ...prepared, request }
  const isNew = idempotency_key === undefined && executor !== 'client' && words === undefined
  return isNew ? begun : lookBack(deps, begun)
}

/** The outcome of an earlier request for the same call, if there is one. Records the user's words. */
async function lookBack(deps: AskedDeps, begun: Begun): Promise<Begun | Answered> {
  const { request, call } = begun
  const known =
    (await earlierCall(deps, request, call)) ??
    (request.executor === 'client' ? await claimHeld(deps, call) : undefined)
  if (known !== undefined) return { ending: known }
  const words = request.words === undefined ? undefined : await recordWords(deps, request.words, call)
  return words?.ok === false ? { ending: refused(words.problem) } : begun
}

/** The user's words are recorded before the call that acts on them. */
const recordWords = (
  deps: AskedDeps,
  text: NonNullable<CallRequest['words']>,
  { call_id, caller, thread }: Call,
): Promise<Result<void>> => recordUserWords(deps, { caller, thread, text, id: call_id })

/**
 * The session that the caller names, otherwise its default session, which ends after a long pause. Names chosen by callers are validated
 * here.
 */
function threadOf(deps: AskedDeps, { caller, thread, idempotency_key }: CallRequest): MaybePromise<Result<string>> {
  if (idempotency_key !== undefined && !isIdempotencyKey(idempotency_key)) return { ok: false, problem: invalidKey() }
  if (thread === undefined) return idleSession(deps, caller)
  return isThreadName(thread) ? ok(thread) : { ok: false, problem: invalidThread() }
}

const withinVolume = (deps: AskedDeps, begun: Begun): MaybePromise<AskedCase | Answered> =>
  withResult(deps.volume.over(begun.request.caller), (over) =>
    over === undefined ? withinGrant(deps, begun, 1) : { ending: refused(over) },
  )

function withinGrant(deps: AskedDeps, begun: Begun, round: number): MaybePromise<AskedCase | Answered> {
  const left = callsLeft(deps.accounts, begun.request.caller)
  if (left === undefined) return caseOf(deps, begun, round)
  return left.then((calls): MaybePromise<AskedCase | Answered> =>
    calls === 0 ? refuseUnprepared(deps, begun.request, problem('key.exhausted')) : caseOf(deps, begun, round),
  )
}

const caseOf = (deps: AskedDeps, { request, call, tool, integrity }: Begun, round: number): AskedCase => ({
  request,
  call,
  tool: deps.catalogue.tool(call.tool_id) ?? tool,
  integrity,
  starts: 0,
  dry_run: request.dry_run,
  ahead: round < ROUNDS ? NO_CONSENT_SPENT : undefined,
})

const NO_CONSENT_SPENT: Ahead = {}

/**
 * A request that is rejected before it becomes a call is recorded too, so that probing for tools is visible. A name that no tool has can
 * be any text, which could not be erased from the audit, so only its digest is recorded.
 */
async function refuseUnprepared(deps: AskedDeps, request: CallRequest, why: Problem): Promise<Answered> {
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
  return { ending: refused(recorded === 'committed' ? why : whyUnrecorded(recorded)) }
}
