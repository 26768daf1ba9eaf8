import { CallState } from '../../kernel/contract/call.ts'
import type { CallId } from '../../kernel/contract/ids.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { DriverEvent, RunEvent, RunKind, Step } from '../../kernel/contract/run.ts'
import type { ToolflowNode } from './toolflow.ts'
import { quoted } from '../../kernel/contract/visible-text.ts'
import type { Effect } from '../../kernel/contract/verdict.ts'
import type { WithdrawCall } from '../../kernel/attempt/held-call.ts'
import { endingOf } from './ending.ts'
import { GRAPH, CONDITIONS, EDGES, NODES, type ToolflowWork } from './graph.ts'
import type { ToolflowState } from './state.ts'

export type ToolflowEvent =
  | DriverEvent
  | { readonly type: 'toolflow.started' }
  | { readonly type: 'call.ended'; readonly call_id: CallId; readonly state: CallState }
  /** The parts of the state that the work at a node fills. */
  | ({ readonly type: 'effect.done'; readonly key: string } & JsonObject)

export type ToolflowNodeEffect = { readonly key: string; readonly kind: ToolflowWork; readonly with: JsonObject }
export type ToolflowEffect = ToolflowNodeEffect | WithdrawCall

type Next = Step<ToolflowState, ToolflowEffect>

export const toolflow: RunKind<ToolflowState, ToolflowEvent, ToolflowEffect> = {
  kind: 'toolflow',
  graph: GRAPH,
  // Only the dispatch has an external effect, and its idempotency key makes it one call however often it is started.
  effects: {
    toolflow_search: 'repeatable',
    toolflow_card: 'repeatable',
    toolflow_judge: 'repeatable',
    toolflow_dry_run: 'repeatable',
    toolflow_dispatch: 'repeatable',
    withdraw_call: 'repeatable',
  },
  step,
}

/** The parts of the state that the result of an effect may fill. Everything else in it is ignored. */
const FILLS = [
  'candidates',
  'card',
  'args',
  'judged',
  'dry_run_result',
  'failure',
  'call',
] as const satisfies readonly (keyof ToolflowState)[]

function step(state: ToolflowState, event: ToolflowEvent): Next {
  return event.type === 'run.cancel' ? cancelled(state, event) : advance(absorb(state, event))
}

/**
 * Before there is a call the flow ends at once. Afterwards it waits for the end of its call, which is withdrawn if no person has
 * decided yet: a call that executes, or whose outcome is unknown, is not abandoned.
 */
function cancelled(state: ToolflowState, { by, reason }: ToolflowEvent & { type: 'run.cancel' }): Next {
  if (isDispatched(state)) return advance({ ...state, cancel: state.cancel ?? { by, withdrawing: false } })
  const why = reason !== undefined ? `: ${quoted(reason, LONGEST_REASON)}` : ''
  const failure = { code: 'run.cancelled', says: `cancelled by ${quoted(by, LONGEST_REASON)}${why}` }
  return ended({ ...enter(state, 'FINAL'), begun: true, failure })
}

const LONGEST_REASON = 500

const isDispatched = ({ node, begun }: ToolflowState): boolean => NODES[node].does === 'toolflow_dispatch' && begun

function absorb(state: ToolflowState, event: ToolflowEvent): ToolflowState {
  if (event.type === 'call.ended') return absorbCall(state, event)
  const isAnswer = event.type === 'effect.done' && state.begun && event['key'] === keyOf(state, state.node)
  if (!isAnswer) return state
  const filled = FILLS.filter((part) => event[part] !== undefined).map((part) => [part, event[part]])
  return { ...state, ...(Object.fromEntries(filled) as Partial<ToolflowState>) }
}

/** The event was written with the call's final row, in the same commit. */
function absorbCall(state: ToolflowState, event: RunEvent): ToolflowState {
  const status = CallState.safeParse(event['state'])
  if (!status.success || !isDispatched(state)) return state
  return { ...state, call: { call_id: event['call_id'] as CallId, status: status.data, reason: null } }
}

/** Follows the edges as far as the state allows, then starts the node's work. */
function advance(before: ToolflowState): Next {
  let state = before
  for (;;) {
    const { node } = state
    const edge = EDGES.find(({ from, when }) => from === node && CONDITIONS[when](state))
    if (edge === undefined) break
    state = enter(state, edge.to)
  }
  const { does } = NODES[state.node]
  if (state.node === 'FINAL') return ended({ ...state, begun: true })
  if (does === null) throw new Bug(`the toolflow cannot leave ${state.node}`)
  if (state.begun) return nextStep(state)
  const effect: ToolflowNodeEffect = { key: keyOf(state, state.node), kind: does, with: detailsOf(state) }
  return { state: { ...state, begun: true }, effects: [effect], waits_for: null }
}

/** A cancelled flow withdraws its call as soon as it is held. */
function nextStep(state: ToolflowState): Next {
  const { run_id, call, cancel } = state
  const isHeld = call?.status === 'pending' && call.call_id !== null
  if (cancel === undefined || cancel.withdrawing || !isHeld || call.call_id === null)
    return { state, effects: [], waits_for: waitsFor(state) }
  const effect: WithdrawCall = {
    key: `${run_id}/withdraw`,
    kind: 'withdraw_call',
    with: { call_id: call.call_id, by: cancel.by },
  }
  return {
    state: { ...state, cancel: { ...cancel, withdrawing: true } },
    effects: [effect],
    waits_for: waitsFor(state),
  }
}

/** A flow that waits has a held or interrupted call. */
const waitsFor = ({ call }: ToolflowState): string | null =>
  call === null || call.call_id === null ? null : `call ${call.call_id}`

/** Makes the one card and records the end. */
function ended(state: ToolflowState): Next {
  const { run_id, caller, trace, selected_skill_id, call } = state
  const { status, evidence } = endingOf(state)
  const subject: Record<string, string> = { run: run_id }
  if (selected_skill_id !== null) subject['tool'] = selected_skill_id
  if (typeof call?.call_id === 'string') subject['call'] = call.call_id
  return {
    state,
    effects: [],
    ends: isCancelled(state) ? 'cancelled' : 'done',
    audit: [
      {
        type: 'toolflow.ended',
        actor: typeof caller['id'] === 'string' ? caller['id'] : '',
        trace,
        subject,
        outcome: status,
        about: { gate: evidence },
      },
    ],
  }
}

/** A call that ran in spite of the cancellation ends its flow as usual. */
const isCancelled = ({ failure, cancel, call }: ToolflowState): boolean =>
  failure?.code === 'run.cancelled' || (cancel !== undefined && call?.status === 'refused')

function enter(state: ToolflowState, node: ToolflowNode): ToolflowState {
  const entered = { ...state, node, path: [...state.path, node], begun: false }
  if (node === 'GET_CARD')
    return { ...entered, selected_skill_id: state.chosen ?? state.candidates?.[0]?.skill_id ?? null }
  // By now the arguments are in the call's row, or will never be used.
  return node === 'FINAL' ? { ...entered, args: null } : entered
}

/** INVARIANT: a node is entered at most once, so its key identifies its work. */
const keyOf = ({ run_id }: ToolflowState, node: ToolflowNode) => `${run_id}/${node}`

/** The node that requested this effect. */
export const nodeIn = ({ key }: Pick<ToolflowNodeEffect, 'key'>): string => key.slice(key.lastIndexOf('/') + 1)

const AT_LEAST: Readonly<Partial<Record<ToolflowNode, Effect>>> = { ASK: 'ask', BLOCK: 'block' }

/** The input for the work at a node. */
function detailsOf(state: ToolflowState): JsonObject {
  const { run_id, caller, trace } = state
  const who = { run_id, caller, trace }
  switch (NODES[state.node].does) {
    case 'toolflow_search':
      // Always search for a second candidate: a request for one tool must not bypass the ambiguity check.
      return { ...who, query: state.query, top_k: Math.max(2, state.top_k) }
    case 'toolflow_card':
      return { ...who, skill_id: state.selected_skill_id, args: state.args, user_prompt: state.user_prompt }
    default:
      return {
        ...who,
        thread: state.thread,
        user_prompt: state.user_prompt,
        skill_id: state.selected_skill_id,
        args: state.args?.value ?? {},
        risk_score: state.risk_score,
        at_least: AT_LEAST[state.node] ?? 'allow',
      }
  }
}
