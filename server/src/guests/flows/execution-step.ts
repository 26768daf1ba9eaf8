import type { CallState } from '../../kernel/contract/call.ts'
import type { CallId } from '../../kernel/contract/ids.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { DriverEvent, RunKind, Step } from '../../kernel/contract/run.ts'
import type { WithdrawCall } from '../../kernel/attempt/held-call.ts'
import type { FlowExecution, ProposedCall } from './execution-state.ts'

/** The result of an effect. Each kind fills some of these. */
export type ExecutionFound = {
  readonly prompts?: FlowExecution['prompts']
  readonly proposed?: ProposedCall
  /** The model made no valid call: why, for the model. */
  readonly wasted?: string
  /** The model says that the job is done. */
  readonly said?: true
  readonly call?: FlowExecution['call']
  readonly result?: { readonly text: string; readonly ok: boolean }
  readonly capped?: true
  readonly output?: string
  readonly verified?: boolean
  readonly failure?: string
}

export type ExecutionEvent =
  | DriverEvent
  | { readonly type: 'flow.started' }
  | { readonly type: 'call.ended'; readonly call_id: CallId; readonly state: CallState }
  | ({ readonly type: 'effect.done'; readonly key: string } & JsonObject)

export type ExecutionWork = 'flow_prompts' | 'flow_ask' | 'flow_call' | 'flow_outcome' | 'flow_answer' | 'flow_finish'
export type ExecutionNodeEffect = { readonly key: string; readonly kind: ExecutionWork; readonly with: JsonObject }
export type ExecutionEffect = ExecutionNodeEffect | WithdrawCall

type Next = Step<FlowExecution, ExecutionEffect>

const MOST_ASKED = 24
const MOST_CALLS = 16
const MOST_WASTED = 3

/**
 * An agent's execution of one step: ask the model, make its call, repeat, write the result, finish.
 * INVARIANT: it never completes without a call that passed the gate and succeeded, or a prompt that was read through it, and
 * `flow_finish` is its last effect, whatever happens.
 */
export const flowExecution: RunKind<FlowExecution, ExecutionEvent, ExecutionEffect> = {
  kind: 'flow-execution',
  // A call has an idempotency key; units and the end are recorded in the run's row, which knows what was already done.
  effects: {
    flow_prompts: 'repeatable',
    flow_ask: 'repeatable',
    flow_call: 'repeatable',
    flow_outcome: 'repeatable',
    flow_answer: 'repeatable',
    flow_finish: 'repeatable',
    withdraw_call: 'repeatable',
  },
  step,
}

function step(state: FlowExecution, event: ExecutionEvent): Next {
  switch (event.type) {
    case 'flow.started':
      if (state.phase !== 'starting') return stay(state)
      return state.prompt_ids.length > 0 ? begin(state, 'reading_prompts', 'flow_prompts') : ask(state)
    case 'call.ended':
      // A call with an unknown outcome ends only when it is retried or settled by a person.
      return event.state === 'unknown' ? stay(state) : callEnded(state, event.call_id)
    case 'run.cancel':
      return cancelled(state)
    case 'effect.cancelled':
      return event.key === keyOf(state) && state.phase !== 'finishing' ? fail(state, CANCELLED) : stay(state)
    case 'effect.done':
      return event['key'] === keyOf(state) ? found(state, event as unknown as ExecutionFound) : stay(state)
    default:
      return stay(state)
  }
}

const stay = (state: FlowExecution): Next => ({ state, effects: [] })

const keyOf = ({ execution_id, works }: FlowExecution): string => `${execution_id}/${works}`

function begin(state: FlowExecution, phase: FlowExecution['phase'], kind: ExecutionWork): Next {
  const next = { ...state, phase, works: state.works + 1 }
  return { state: next, effects: [{ key: keyOf(next), kind, with: {} }], waits_for: null }
}

function ask(state: FlowExecution): Next {
  if (state.asked >= MOST_ASKED) return fail(state, 'the model did not finish within the limit of its questions')
  return begin({ ...state, asked: state.asked + 1 }, 'asking', 'flow_ask')
}

const fail = (state: FlowExecution, reason: string): Next =>
  begin({ ...state, ending: 'failed', reason, output: null }, 'finishing', 'flow_finish')

function found(state: FlowExecution, news: ExecutionFound): Next {
  if (state.phase === 'finishing') return { state: { ...state, phase: 'ended' }, effects: [], ends: endOf(state) }
  // Nothing is in progress while it waits.
  if (state.phase === 'waiting') return stay(state)
  const isOpen = news.call !== undefined && news.result === undefined
  if (state.stopping && !isOpen) return fail(state, CANCELLED)
  if (news.failure !== undefined) return fail(state, news.failure)
  if (news.capped === true)
    return begin({ ...state, ending: 'cost_capped', reason: 'the cost cap is reached' }, 'finishing', 'flow_finish')
  switch (state.phase) {
    case 'reading_prompts': {
      const prompts = news.prompts ?? []
      return ask({ ...state, prompts, gated: state.gated + prompts.length })
    }
    case 'asking':
      return afterAsking(state, news)
    case 'calling':
      return afterCalling(state, news)
    case 'answering':
      return begin(
        { ...state, output: news.output ?? '', verified: news.verified === true },
        'finishing',
        'flow_finish',
      )
    default:
      return stay(state)
  }
}

const endOf = ({ ending }: FlowExecution) => (ending === 'completed' ? 'done' : 'failed')

function afterAsking(state: FlowExecution, news: ExecutionFound): Next {
  if (news.proposed !== undefined) {
    if (state.calls >= MOST_CALLS) return fail(state, `more than ${MOST_CALLS} calls`)
    const proposed = news.proposed
    return begin({ ...state, proposed, calls: state.calls + 1, wasted: 0 }, 'calling', 'flow_call')
  }
  if (news.said === true && state.gated > 0) return begin(state, 'answering', 'flow_answer')
  const why = news.wasted ?? 'nothing was done yet: call one of the offered tools'
  const wasted = state.wasted + 1
  if (wasted >= MOST_WASTED) return fail(state, `the model made no call that could be made: ${why}`)
  return ask({ ...state, wasted, results: [...state.results, { tool: 'gate', text: why, ok: false }] })
}

function afterCalling(state: FlowExecution, news: ExecutionFound): Next {
  if (news.call !== undefined && news.result === undefined) return waitForCall({ ...state, call: news.call })
  if (news.result === undefined) return stay(state)
  const { text, ok } = news.result
  const tool = state.proposed?.tool ?? ''
  return ask({
    ...state,
    proposed: null,
    call: null,
    gated: state.gated + (ok ? 1 : 0),
    results: [...state.results, { tool, text, ok }],
  })
}

/** Waits for a person or for another node, unless the call is already reported as ended. */
function waitForCall(state: FlowExecution): Next {
  const call_id = state.call?.call_id ?? null
  if (call_id !== null && state.ended_call === call_id) return begin(state, 'calling', 'flow_outcome')
  const waiting: Next = { state: { ...state, phase: 'waiting' }, effects: [], waits_for: `call ${call_id ?? ''}` }
  if (!state.stopping || state.withdrawn || call_id === null) return waiting
  return { ...waiting, state: { ...waiting.state, withdrawn: true }, effects: [withdrawal(call_id)] }
}

function callEnded(state: FlowExecution, call_id: string): Next {
  const ended = { ...state, ended_call: call_id }
  const isAwaited = state.phase === 'waiting' && state.call?.call_id === call_id
  return isAwaited ? begin(ended, 'calling', 'flow_outcome') : stay(ended)
}

const CANCELLED = 'it was cancelled'

const withdrawal = (call_id: CallId): WithdrawCall => ({
  key: `${call_id}/withdraw`,
  kind: 'withdraw_call',
  with: { call_id, by: 'flow-execution' },
})

/** A running model request is aborted; a held call is withdrawn; a running call is waited for. */
function cancelled(state: FlowExecution): Next {
  if (state.stopping || state.phase === 'finishing' || state.phase === 'ended') return stay(state)
  const stopping = { ...state, stopping: true }
  if (state.phase === 'starting') return fail(stopping, CANCELLED)
  if (state.phase === 'waiting') return waitForCall(stopping)
  return { state: stopping, effects: [], ...(state.phase === 'calling' ? {} : { cancel: [keyOf(state)] }) }
}
