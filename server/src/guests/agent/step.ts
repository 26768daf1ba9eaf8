import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import type { ModelUsage } from '../models/api.ts'
import type { AgentCall, LastToolResult, ProposedTool } from './agent.ts'
import { CallState } from '../../kernel/contract/call.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import type { CallId } from '../../kernel/contract/ids.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { DriverEvent, RunKind, Step } from '../../kernel/contract/run.ts'
import { mayContinue } from '../../kernel/identity/grants.ts'
import type { WithdrawCall } from '../../kernel/attempt/held-call.ts'
import { answerSent, sendAnswers, withAnswer, type AgentReply } from './outgoing-answers.ts'
import { closingOf, STOPPED } from './closing.ts'
import { CONDITIONS, EDGES, GRAPH, NODES, type AgentEdge, type AgentWork } from './graph.ts'
import { callKey } from './moves.ts'
import {
  newestSender,
  withMessage,
  withSender,
  withTrail,
  withTurn,
  type ApprovalReply,
  type AgentFailure,
  type AgentState,
  type ExecutorWords,
  type WaitingMessage,
} from './state.ts'

/** The result of the work at a node. Every field is optional: each kind of work fills its own. */
export type AgentFound = {
  readonly at?: number
  readonly usage?: ModelUsage
  readonly failure?: AgentFailure
  readonly intent?: 'conversation' | 'task'
  readonly plan?: readonly string[]
  readonly proposed?: ProposedTool
  readonly said?: ExecutorWords
  readonly call?: AgentCall
  readonly verdict?: { readonly effect: 'allow' | 'ask' | 'block'; readonly why: string }
  readonly integrity?: 'mismatch'
  readonly expires_at?: number
  /** The hub that decides about the held call. */
  readonly hub?: string
  /** Where the held call is decided, and whether a token can decide it. */
  readonly url?: string
  readonly takes_token?: boolean
  readonly result?: LastToolResult
  readonly text?: string
  /** Replaces the `of` oldest messages. */
  readonly summary?: { readonly text: string; readonly of: number }
}

export type AgentRunEvent =
  | DriverEvent
  | { readonly type: 'agent.message'; readonly message: WaitingMessage }
  | { readonly type: 'agent.cancel'; readonly by: string }
  | { readonly type: 'call.ended'; readonly call_id: CallId; readonly state: CallState }
  | ({ readonly type: 'effect.done'; readonly key: string } & JsonObject)

export type AgentNodeEffect = { readonly key: string; readonly kind: AgentWork; readonly with: JsonObject }
export type AgentEffect = AgentNodeEffect | AgentReply | WithdrawCall

type Next = Step<AgentState, AgentEffect>
type Draft = { readonly state: AgentState; readonly audit: NonNullable<Next['audit']> }

export const agent: RunKind<AgentState, AgentRunEvent, AgentEffect> = {
  kind: 'agent',
  graph: GRAPH,
  // Models have no external effects, and a call's idempotency key makes it one call however often it is started.
  effects: {
    agent_intent: 'repeatable',
    agent_plan: 'repeatable',
    agent_propose: 'repeatable',
    agent_call: 'repeatable',
    agent_outcome: 'repeatable',
    agent_answer: 'repeatable',
    agent_reply: 'repeatable',
    withdraw_call: 'repeatable',
  },
  callerOf: newestSender,
  step: (state, event) => sendAnswers(step(state, event)),
}

const MOST_WAITING = 10
const IDLE = 'idle'
const DAY_MS = 86_400_000

function step(state: AgentState, event: AgentRunEvent): Next {
  switch (event.type) {
    case 'agent.message':
      return advance(receive(state, event.message))
    case 'call.ended':
      return advance(callEnded(state, event))
    case 'effect.done':
      return advance(answerSent(state, event.key) ?? found(state, event.key, event as unknown as AgentFound))
    case 'effect.cancelled':
    case 'effect.unknown':
      return advance(answerSent(state, event.key) ?? found(state, event.key, {}))
    case 'agent.cancel':
      return cancel(state, event.by, false)
    case 'run.cancel':
      return cancel(state, event.by, true)
    case 'timer':
      return event.name === IDLE ? idle(state, event.now) : { state, effects: [] }
    default:
      return { state, effects: [] }
  }
}

/**
 * A reply may arrive after its decision took effect, if the decision's own event was faster. Such a turn ends with the outcome of
 * the decision. Beyond a limit, messages are answered at once: the thread is busy. A thread that was cancelled starts nothing new.
 */
function receive(state: AgentState, message: WaitingMessage): AgentState {
  const { turn_id, asked_hash, reply } = message
  if (state.closing) return endCancelled(state, message)
  if (!mayFollow(state, message)) return endUnanswered(state, message, GRANTS_LESS)
  const isDecision = reply !== null && reply.result !== 'invalid'
  if (isDecision && isBeingCarriedOut(state, reply.approval_id)) {
    const next = withReason(state, reply)
    if (state.node === 'END')
      return withTurn(next, { turn_id, asked_hash, status: state.status, response: state.response })
    if (state.turn === null) return withSender(state, message)
  }
  if (state.queue.length < MOST_WAITING) return { ...state, queue: [...state.queue, message] }
  return endUnanswered(state, message, 'the thread is busy: wait for its answer')
}

/**
 * Messages are checked when they are sent; two that are sent at once are compared here.
 * INVARIANT: in one thread, each credential grants at least what those before it do, so no answer shows what its reader may not see.
 */
const mayFollow = (state: AgentState, { caller }: WaitingMessage): boolean =>
  caller === undefined || mayContinue(Caller.parse(caller), Caller.parse(newestSender(state)))

const GRANTS_LESS = 'a credential that grants more has written in this thread: start a new one'

function endUnanswered(state: AgentState, message: WaitingMessage, response: string): AgentState {
  const { turn_id, asked_hash, place } = message
  const next = withAnswer(state, { text: response, place: place ?? null })
  return withTurn(next, { turn_id, asked_hash, status: 'failed', response })
}

/** Also true after the decision: the last one was made by this reply. */
const isBeingCarriedOut = (state: AgentState, approval_id: string): boolean =>
  state.awaiting_approval
    ? approval_id === state.approval_id && state.call?.status !== 'pending'
    : approval_id === state.last_approval_id

/** The models read why a person rejected the call, even if the reason arrives after the decision. */
function withReason(state: AgentState, { result, says }: ApprovalReply): AgentState {
  if (result !== 'rejected' || says === '') return state
  return withMessage(state, { role: 'tool', text: `User Rejected: ${says}`, at: state.turn?.at ?? 0 })
}

/** The event was written with the call's final row, in the same commit. */
function callEnded(state: AgentState, event: AgentRunEvent & { type: 'call.ended' }): AgentState {
  const status = CallState.safeParse(event.state)
  const isOwn = state.call !== null && state.call.call_id === event.call_id
  // A result delivered with the dispatch is complete.
  if (!status.success || !isOwn || state.has_outcome || state.call === null) return state
  return { ...state, call: { ...state.call, status: status.data } }
}

const keyOf = ({ run_id, works }: AgentState): string => `${run_id}/${works}`

/** The result of the work in progress; any other is ignored. */
function found(state: AgentState, key: string, news: AgentFound): AgentState {
  if (state.work !== 'begun' || key !== keyOf(state)) return state
  const counted = withUsage(state, news.usage)
  const done: AgentState = { ...counted, work: 'done', failure: news.failure ?? limitOf(counted) ?? counted.failure }
  switch (NODES[state.node].does) {
    case 'agent_intent':
      return { ...done, intent: news.intent ?? null }
    case 'agent_plan':
      return planned(done, news)
    case 'agent_propose':
      return proposed(done, news)
    case 'agent_call':
      return judged(done, news)
    case 'agent_outcome':
      return { ...done, call: news.call ?? done.call, last_tool_result: news.result ?? null, has_outcome: true }
    case 'agent_answer':
      return answered(done, news)
    default:
      throw new Bug(`there is nothing to do at ${state.node}`)
  }
}

/** Without a usable plan the message itself is the only step. */
function planned(state: AgentState, { plan }: AgentFound): AgentState {
  const steps = plan !== undefined && plan.length > 0 ? plan : [state.turn?.text ?? '']
  return {
    ...state,
    plan: steps,
    current_step: 0,
    lookups: 0,
    step_status: steps.map(() => 'pending'),
    tries: steps.map(() => 0),
  }
}

/** INVARIANT: a call that a person rejected is not proposed again in this thread. */
function proposed(state: AgentState, { proposed: tool, said }: AgentFound): AgentState {
  if (state.cancelled_by !== null) return { ...state, said: CANCELLED }
  if (tool === undefined) return { ...state, said: said ?? NOTHING_SAID }
  if (!state.rejected.includes(callKey(tool))) return { ...state, proposed_tool: tool }
  return {
    ...state,
    said: { kind: 'invalid', text: 'a person rejected this call: propose something else', tool: tool.name },
  }
}

const CANCELLED: ExecutorWords = { kind: 'invalid', text: 'the task was cancelled' }
const NOTHING_SAID: ExecutorWords = { kind: 'invalid', text: 'the model proposed nothing' }

function judged(
  state: AgentState,
  { call, verdict = NOT_MADE, integrity, expires_at, hub, url, takes_token = false, result }: AgentFound,
): AgentState {
  return {
    ...state,
    call: call ?? null,
    verdict,
    last_verdict: { ...verdict, call_id: call?.call_id ?? null },
    integrity_failed: integrity !== undefined,
    approval_expires_at: expires_at ?? null,
    approval_hub: hub ?? null,
    approval_url: url ?? null,
    approval_takes_token: takes_token,
    last_tool_result: result ?? state.last_tool_result,
    has_outcome: result !== undefined,
  }
}

const NOT_MADE = { effect: 'block', why: 'the call was not made' } as const

function answered(state: AgentState, { text, summary }: AgentFound): AgentState {
  const next = { ...state, response: text ?? '' }
  if (summary === undefined) return next
  return { ...next, summary: summary.text, messages: state.messages.slice(summary.of) }
}

function withUsage(state: AgentState, more: ModelUsage | undefined): AgentState {
  if (more === undefined) return state
  const { usage } = state
  return {
    ...state,
    usage: {
      model_calls: usage.model_calls + more.model_calls,
      input_tokens: usage.input_tokens + more.input_tokens,
      output_tokens: usage.output_tokens + more.output_tokens,
      cost: usage.cost + more.cost,
    },
  }
}

/** Which of its limits a thread has reached. */
export function limitOf({ usage, settings, node }: AgentState): AgentFailure | undefined {
  // The final answer may exceed the limit.
  if (node === 'Finalizer') return undefined
  const over =
    usage.model_calls >= settings.model_calls
      ? 'model calls'
      : usage.input_tokens + usage.output_tokens >= settings.tokens
        ? 'tokens'
        : usage.cost >= settings.cost
          ? 'cost'
          : undefined
  return over === undefined
    ? undefined
    : { code: 'agent.limit', says: `this thread has reached its limit of ${over}: start a new one` }
}

/** Asks a running model or tool to stop; what was already done is kept. */
function cancel(state: AgentState, by: string, closing: boolean): Next {
  const emptied = state.queue.reduce(endCancelled, state)
  const stopped = { ...emptied, cancelled_by: state.cancelled_by ?? by, closing: state.closing || closing, queue: [] }
  const isIdle = state.node === 'END' && !state.awaiting_approval
  if (isIdle) return advance(closing ? stopped : state)
  const next = advance(stopped)
  return state.work === 'begun' ? { ...next, cancel: [keyOf(state)] } : next
}

/** Ends the turn of a message that is not worked on any more. */
function endCancelled(state: AgentState, { turn_id, asked_hash, place }: WaitingMessage): AgentState {
  const next = withAnswer(state, { text: STOPPED, place: place ?? null })
  return withTurn(next, { turn_id, asked_hash, status: 'cancelled', response: STOPPED })
}

function idle(state: AgentState, now: number): Next {
  const isAtRest = state.node === 'END' && !state.awaiting_approval && (state.answers_open ?? 0) === 0
  if (!isAtRest) return { state, effects: [], timers: { [IDLE]: now + state.settings.idle_days * DAY_MS } }
  return { state, effects: [], ends: 'done' }
}

/** Follows the edges as far as the state allows, then starts the node's work. */
function advance(before: AgentState): Next {
  let draft: Draft = { state: before, audit: [] }
  for (;;) {
    const work = workAt(draft.state)
    if (work === 'wait') return rest(draft)
    if (work !== null) return begin(draft, work)
    const { state } = draft
    const edge = EDGES.find(({ from, when }) => from === state.node && CONDITIONS[when](state))
    if (edge === undefined) return rest(draft)
    draft = take(draft, edge)
  }
}

/** `wait`: something is in progress, or the held call has not ended. Null: the edges decide. */
function workAt(state: AgentState): AgentWork | 'wait' | null {
  if (state.work === 'begun') return 'wait'
  const { does } = NODES[state.node]
  if (does === null || state.work === 'done') return null
  switch (does) {
    case 'agent_intent':
      return state.intent === null && state.settings.intent === 'model' && !isAnswering(state) ? does : null
    case 'agent_outcome':
      return outcomeWork(state)
    case 'agent_answer':
      return closingOf(state).text === undefined ? does : null
    default:
      return does
  }
}

/** The message answers a question, so its intent is known. */
const isAnswering = ({ awaiting_approval, awaiting_user_input }: AgentState) => awaiting_approval || awaiting_user_input

function outcomeWork({ node, call, has_outcome, turn }: AgentState): 'agent_outcome' | 'wait' | null {
  if (has_outcome) return null
  const isEnded = call !== null && call.status !== 'pending' && call.status !== 'executing'
  // A reply itself states the decision.
  if (node === 'ApprovalHandler') return (turn?.reply ?? null) === null && isEnded ? 'agent_outcome' : null
  return isEnded ? 'agent_outcome' : 'wait'
}

function take({ state, audit }: Draft, { from, when, to, move }: AgentEdge): Draft {
  const moved = { ...(move === undefined ? state : move(state)), node: to, work: 'none' as const }
  const next = withTrail(moved, `${from} → ${to}: ${when}`)
  const about = { from, to, when, step: next.current_step }
  return { state: next, audit: [...audit, entryOf(next, 'agent.moved', about)] }
}

function entryOf(
  state: AgentState,
  type: AuditEvent,
  about: Record<string, string | number>,
): NonNullable<Next['audit']>[number] {
  const actor = typeof state.caller['id'] === 'string' ? state.caller['id'] : ''
  const { run_id: run, thread_id: thread, call } = state
  const subject = { run, thread, ...(typeof call?.call_id !== 'string' ? {} : { call: call.call_id }) }
  return { type, actor, trace: state.trace, subject, about }
}

function begin({ state, audit }: Draft, work: AgentWork): Next {
  const begun: AgentState = { ...state, work: 'begun', works: state.works + 1 }
  const details = { node: state.node, step: state.current_step }
  return {
    state: begun,
    effects: [{ key: keyOf(begun), kind: work, with: details }],
    audit,
    waits_for: null,
  }
}

/** Parked, or waiting for work in progress. A cancelled thread withdraws the call that waits for a person. */
function rest({ state, audit }: Draft): Next {
  const { call, cancelled_by, withdrawing, node } = state
  if (state.closing && node === 'END' && !state.awaiting_approval)
    return { state, effects: [], audit, ends: 'cancelled' }
  const isHeld = state.awaiting_approval && call?.status === 'pending' && call.call_id !== null
  const waits = { waits_for: waitsFor(state), ...idleTimer(state) }
  if (cancelled_by === null || withdrawing || !isHeld || call.call_id === null)
    return { state, effects: [], audit, ...waits }
  const effect: WithdrawCall = {
    key: `${state.run_id}/withdraw/${call.call_id}`,
    kind: 'withdraw_call',
    with: { call_id: call.call_id, by: cancelled_by },
  }
  return { state: { ...state, withdrawing: true }, effects: [effect], audit, ...waits }
}

function idleTimer({ node, messages, settings }: AgentState): Pick<Next, 'timers'> {
  const last = messages.at(-1)?.at
  return node === 'END' && last !== undefined ? { timers: { [IDLE]: last + settings.idle_days * DAY_MS } } : {}
}

function waitsFor({ node, awaiting_approval, approval_id, call }: AgentState): string | null {
  if (awaiting_approval && approval_id !== null) return `approval ${approval_id}`
  if (node === 'Tools' && typeof call?.call_id === 'string') return `call ${call.call_id}`
  return node === 'END' ? 'message' : null
}
