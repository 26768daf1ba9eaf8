import { CallState } from '../../contract/call.ts'
import type { CallId } from '../../contract/ids.ts'
import type { JsonObject } from '../../contract/json.ts'
import { Bug } from '../../contract/problems.ts'
import type { RunEffect, RunEvent, RunKind, Step } from '../../contract/run.ts'
import type { ToolflowNode } from '../../contract/toolflow.ts'
import type { Effect } from '../../contract/verdict.ts'
import { endingOf } from './ending.ts'
import { CONDITIONS, EDGES, NODES } from './graph.ts'
import type { ToolflowState } from './state.ts'

export const toolflow: RunKind<ToolflowState> = { kind: 'toolflow', step }

/** The result of an effect: the parts of the state that it fills. Anything else it carries is not looked at. */
const FILLS = [
  'candidates',
  'card',
  'args',
  'judged',
  'dry_run_result',
  'failure',
  'call',
] as const satisfies readonly (keyof ToolflowState)[]

function step(state: ToolflowState, event: RunEvent): Step<ToolflowState> {
  const isEnd = state.node === 'FINAL' && event.type === 'effect.done' && event['key'] === keyOf(state, 'FINAL')
  if (isEnd) return { state, effects: [], done: true }
  return advance(absorb(state, event))
}

function absorb(state: ToolflowState, event: RunEvent): ToolflowState {
  if (event.type === 'call.ended') return absorbCall(state, event)
  const isAnswer = event.type === 'effect.done' && state.begun && event['key'] === keyOf(state, state.node)
  if (!isAnswer) return state
  const filled = FILLS.filter((part) => event[part] !== undefined).map((part) => [part, event[part]])
  return { ...state, ...(Object.fromEntries(filled) as Partial<ToolflowState>) }
}

/** The call's own row said how it ended, in the commit in which it did. */
function absorbCall(state: ToolflowState, event: RunEvent): ToolflowState {
  const status = CallState.safeParse(event['state'])
  const isDispatched = NODES[state.node].does === 'toolflow_dispatch' && state.begun
  if (!status.success || !isDispatched) return state
  return { ...state, call: { call_id: event['call_id'] as CallId, status: status.data, reason: null } }
}

/** Along the edges as far as the state carries, then the node's own work. */
function advance(before: ToolflowState): Step<ToolflowState> {
  let state = before
  for (;;) {
    const { node } = state
    const edge = EDGES.find(({ from, when }) => from === node && CONDITIONS[when](state))
    if (edge === undefined) break
    state = enter(state, edge.to)
  }
  const { does } = NODES[state.node]
  if (does === null) throw new Bug(`the toolflow cannot leave ${state.node}`)
  if (state.begun) return { state, effects: [] }
  const effect: RunEffect = { key: keyOf(state, state.node), kind: does, with: detailsOf(state) }
  return { state: { ...state, begun: true }, effects: [effect] }
}

function enter(state: ToolflowState, node: ToolflowNode): ToolflowState {
  const entered = { ...state, node, path: [...state.path, node], begun: false }
  if (node === 'GET_CARD')
    return { ...entered, selected_skill_id: state.chosen ?? state.candidates?.[0]?.skill_id ?? null }
  // What was asked for is in the call's row by now, or was never going to run.
  return node === 'FINAL' ? { ...entered, args: null } : entered
}

/** INVARIANT: a node is entered at most once, so its key names its work for ever. */
const keyOf = ({ run_id }: ToolflowState, node: ToolflowNode) => `${run_id}/${node}`

const AT_LEAST: Readonly<Partial<Record<ToolflowNode, Effect>>> = { ASK: 'ask', BLOCK: 'block' }

/** Everything the work at a node needs to know. */
function detailsOf(state: ToolflowState): JsonObject {
  const { run_id, caller, trace } = state
  const who = { run_id, caller, trace }
  switch (NODES[state.node].does) {
    case 'toolflow_search':
      // A second candidate is always looked for: who asks for one tool only must not get past the guard.
      return { ...who, query: state.query, top_k: Math.max(2, state.top_k) }
    case 'toolflow_card':
      return { ...who, skill_id: state.selected_skill_id, args: state.args, user_prompt: state.user_prompt }
    case 'toolflow_end':
      return { ...who, ...endingOf(state), skill_id: state.selected_skill_id, call_id: state.call?.call_id ?? null }
    default:
      return {
        ...who,
        thread: state.thread,
        skill_id: state.selected_skill_id,
        args: state.args?.value ?? {},
        risk_score: state.risk_score,
        at_least: AT_LEAST[state.node] ?? 'allow',
      }
  }
}
