import type { AgentAnswer, AgentBody, AgentSettings } from './agent.ts'
import { DECIDING_KINDS, type Caller } from '../../kernel/contract/caller.ts'
import { ok, specOf, type Problem, type Result } from '../../kernel/contract/problems.ts'
import { invalidKey, isIdempotencyKey } from '../../kernel/contract/request-names.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { isEndedRun } from '../../kernel/contract/run.ts'
import { intentOf, MISSPELT, replyIn, type MisspeltReply } from './replies.ts'
import { mayDecide } from '../../kernel/approvals/may-decide.ts'
import { type StrictReply } from '../../kernel/approvals/strict-reply.ts'
import type { ApprovalReply, WaitingMessage } from './state.ts'
import { decideApproval, type DecidePorts } from '../../kernel/approvals/decide-approval.ts'
import { packetOf } from '../../kernel/approvals/packet-of.ts'
import { issueToken, redeemToken, refuseToken, type TokenPorts } from '../../kernel/approvals/tokens.ts'
import type { EndPorts } from '../../kernel/approvals/end-approval.ts'
import type { MintPorts } from '../../kernel/consents/mint-consent.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import type { StoredVolume } from '../../kernel/attempt/stored-volume.ts'
import type { Intake } from '../../kernel/attempt/intake.ts'
import { withdrawCall } from '../../kernel/attempt/withdraw-call.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { trustOf, wordsLabel } from '../../kernel/sessions/labels.ts'
import { waitForRun, type WaitForRunPorts } from '../../kernel/runs/wait-for-run.ts'
import { cleanText, turnChanges } from './record-turn.ts'
import {
  ownThread,
  runOfThread,
  threadNamed,
  threadNow,
  threadOfKey,
  type Thread,
  type ThreadPorts,
} from './threads.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import { problem, refuse } from './problems.ts'

export type RunAgentPorts = ThreadPorts &
  WaitForRunPorts &
  TokenPorts &
  DecidePorts &
  MintPorts &
  PasskeyPorts &
  EndPorts & {
    readonly intake: Intake
    readonly volume: StoredVolume
    readonly ledger: Ledger
    readonly clock: Clock
    readonly ids: Ids
    readonly judgement: Pick<Judgement, 'scanner'>
    readonly agentSettings: AgentSettings
    /** Whether the limit of threads kept only in memory is reached. */
    readonly isVolatileFull: () => boolean
    /** Only in development: tokens are printed into the answer of `/agent/run`. */
    readonly showsTokens: boolean
  }

export type RunAgent = { readonly trace?: string; readonly wait_ms?: number }

const WAIT_MS = 60_000

/**
 * A message to an agent: validated, cleaned of secrets and recorded, then carried out by the driver. Answers with the end of its
 * turn.
 */
export async function runAgent(
  deps: RunAgentPorts,
  caller: Caller,
  body: AgentBody,
  { trace, wait_ms = WAIT_MS }: RunAgent = {},
): Promise<Result<AgentAnswer>> {
  const refused = refusalOf(deps, body)
  if (refused !== undefined) return { ok: false, problem: refused }
  const over = await deps.volume.over(caller)
  if (over !== undefined) return { ok: false, problem: over }
  const found = await threadFor(deps, caller, body)
  if (!found.ok) return found
  const { thread_id, thread } = found.value
  const turn_id = turnOf(deps, body)
  const reply = replyIn(body.message)
  const text = await cleanText(deps, body.message, reply)
  const asked_hash = deps.digest(JSON.stringify([text, reply?.says ?? null]))
  const known = thread === undefined ? undefined : knownTurn(thread, turn_id)
  if (known !== undefined && known.asked_hash !== asked_hash) return refuse('agent.key_reused', { thread_id })
  if (known === undefined) {
    if (thread !== undefined && isEndedRun(thread.run)) return refuse('agent.thread_ended', { thread_id })
    const message: WaitingMessage = {
      turn_id,
      asked_hash,
      text,
      at: deps.clock(),
      intent: reply !== undefined || deps.agentSettings.intent === 'rules' ? intentOf(text) : null,
      reply: reply === undefined ? null : await carryOut(deps, caller, thread, reply),
    }
    const isVolatile = body.do_not_store === true
    if (thread === undefined && isVolatile && deps.isVolatileFull()) return refuse('agent.memory_full')
    deps.volume.add(caller, text)
    const recorded = await record(deps, caller, { thread_id, thread, message, trace, isVolatile })
    if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
    // Somebody else's message of the same key was faster.
    if (recorded !== 'committed' && (await ownThread(deps, caller, thread_id)) === undefined) return keyOfAnother()
  }
  return waitForTurn(deps, thread_id, turn_id, wait_ms)
}

function refusalOf(
  { intake, agentSettings }: RunAgentPorts,
  { message, idempotency_key }: AgentBody,
): Problem | undefined {
  const closed = intake.closedBy()
  if (closed !== undefined) return closed
  const limit = agentSettings.message_chars
  if (message.length > limit) return problem('agent.message_too_long', { limit: String(limit) })
  if (idempotency_key !== undefined && !isIdempotencyKey(idempotency_key)) return invalidKey()
  return undefined
}

type Found = { readonly thread_id: string; readonly thread: Thread | undefined }

/** A thread of this caller, or a new one. Another caller's thread is reported as missing. */
async function threadFor(deps: RunAgentPorts, caller: Caller, body: AgentBody): Promise<Result<Found>> {
  const { thread_id, idempotency_key } = body
  if (thread_id !== undefined) {
    const thread = await ownThread(deps, caller, thread_id)
    return thread === undefined ? refuse('agent.thread_unknown', { thread_id }) : ok({ thread_id, thread })
  }
  const fresh =
    idempotency_key === undefined ? threadNamed(deps.ids.trace()) : threadOfKey(deps, caller, idempotency_key)
  const thread = await ownThread(deps, caller, fresh)
  if (thread === undefined && (await threadNow(deps, fresh)) !== undefined) return keyOfAnother()
  return ok({ thread_id: fresh, thread })
}

/** The key was used with a credential that grants more. */
const keyOfAnother = (): Result<never> => refuse('agent.key_reused')

const turnOf = ({ digest, ids }: RunAgentPorts, { idempotency_key }: AgentBody): string =>
  `turn_${idempotency_key === undefined ? ids.trace() : digest(idempotency_key).slice(0, 32)}`

function knownTurn({ state }: Thread, turn_id: string): { readonly asked_hash: string } | undefined {
  const all = [...(state.turn === null ? [] : [state.turn]), ...state.queue, ...state.turns]
  return all.find((turn) => turn.turn_id === turn_id)
}

/**
 * The decision itself, by the same commands as at every other door. A reply to anything but the request that the thread waits for decides nothing,
 * and is answered with what it is.
 */
async function carryOut(
  deps: RunAgentPorts,
  caller: Caller,
  thread: Thread | undefined,
  reply: StrictReply | MisspeltReply,
): Promise<ApprovalReply> {
  if (reply.says === 'misspelt') return { approval_id: reply.approves ?? '', result: 'invalid', says: MISSPELT }
  const { approval_id } = reply
  if (thread === undefined || !(await isWaitedFor(deps, thread, approval_id))) {
    const why =
      reply.says === 'approve'
        ? await refuseToken(deps, caller, reply)
        : await refuseElsewhere(deps, caller, approval_id)
    return { approval_id, result: 'invalid', says: whyNot(why) }
  }
  const { state } = thread
  const call_id = state.call?.call_id ?? ''
  const decided =
    reply.says === 'approve'
      ? await redeemToken(deps, caller, { approval_id, token: reply.token, thread: state.thread_id, says: 'approve' })
      : await rejectCall(deps, caller, approval_id, call_id, reply.reason)
  if (!decided.ok) return { approval_id, result: 'invalid', says: whyNot(decided.problem) }
  const reason = reply.says === 'reject' && reply.reason !== undefined ? reply.reason : ''
  const says = await deps.judgement.scanner.redact(reason, 'messages')
  return {
    approval_id: state.approval_id ?? approval_id,
    result: reply.says === 'approve' ? 'approved' : 'rejected',
    says,
  }
}

async function isWaitedFor({ tables }: RunAgentPorts, { state }: Thread, approval_id: string): Promise<boolean> {
  if (!state.awaiting_approval) return false
  // An edited request has replaced the one that the thread knows.
  const pending = (await tables.row('calls', state.call?.call_id ?? ''))?.row.approval_id
  return approval_id === pending || approval_id === state.approval_id
}

/** Why a rejection does not count here. Only somebody who may know of the request learns more than that there is none. */
async function refuseElsewhere({ tables }: RunAgentPorts, caller: Caller, approval_id: string): Promise<Problem> {
  const row = (await tables.row('approvals', approval_id))?.row
  if (row === undefined || (row.caller.user !== caller.user && !mayDecide(caller).ok))
    return problem('approval.unknown', { approval_id })
  return problem(row.state === 'pending' ? 'approval.wrong_thread' : 'approval.not_pending', { approval_id })
}

function whyNot(found: Problem): string {
  const { says } = specOf(found)
  const { factors } = found.about
  return factors === undefined ? says : `${says} (${factors})`
}

/** An approver denies by role; anybody else withdraws their own call. */
async function rejectCall(
  deps: RunAgentPorts,
  caller: Caller,
  approval_id: string,
  call_id: string,
  reason: string | undefined,
): Promise<Result<unknown>> {
  if (!DECIDING_KINDS.includes(caller.kind)) return withdrawCall(deps, caller, call_id)
  return decideApproval(deps, caller, approval_id, { says: 'deny', ...(reason === undefined ? {} : { reason }) })
}

type Recorded = Found & {
  readonly message: WaitingMessage
  readonly isVolatile: boolean
  readonly trace: string | undefined
}

async function record(deps: RunAgentPorts, caller: Caller, { trace = deps.ids.trace(), ...turn }: Recorded) {
  const { message, thread_id } = turn
  const now = deps.clock()
  return deps.ledger.commit([
    ...turnChanges(deps, caller, { ...turn, trace }, now),
    // The person's words authorise the resulting calls.
    ...(message.reply === null
      ? wordsLabel(message.turn_id, caller, thread_id, { text: message.text, trust: trustOf(caller) }, now)
      : []),
  ])
}

/** The answer of the caller's own turn. */
async function waitForTurn(
  deps: RunAgentPorts,
  thread_id: string,
  turn_id: string,
  wait_ms: number,
): Promise<Result<AgentAnswer>> {
  const run_id = runOfThread(deps, thread_id)
  const answerOf = (thread: Thread | undefined): AgentAnswer => {
    const turn = thread?.state.turns.find((one) => one.turn_id === turn_id)
    if (turn !== undefined) return { response: turn.response, thread_id, run_id, status: turn.status }
    const isOver = thread !== undefined && isEndedRun(thread.run)
    return { response: '', thread_id, run_id, status: isOver ? 'cancelled' : 'running' }
  }
  const read = async () => answerOf(await threadNow(deps, thread_id))
  const answer = await waitForRun(deps, run_id, wait_ms, read, ({ status }) => status !== 'running')
  return ok(answer)
}

/** Development only, and never for an agent's key: whoever reads the answer could approve with it. Nothing is stored. */
export async function withDevToken(deps: RunAgentPorts, caller: Caller, answer: AgentAnswer): Promise<AgentAnswer> {
  if (!deps.showsTokens || answer.status !== 'awaiting_approval') return answer
  const thread = await ownThread(deps, caller, answer.thread_id)
  const approval_id = thread?.state.approval_id
  if (approval_id === null || approval_id === undefined) return answer
  const token = await issueToken(deps, caller, approval_id)
  if (!token.ok) return answer
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) return answer
  // A token is only issued for what fits here whole.
  const { sentence, proposed_args } = await packetOf(deps, held)
  const shown = [sentenceText(sentence), `Arguments: ${visibleText(proposed_args)}`]
  const line = `AUTH REQUIRED: To approve, type: APROBAR ${approval_id} ${token.value}`
  return { ...answer, response: [answer.response, ...shown, line].join('\n') }
}
