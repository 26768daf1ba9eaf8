import type { RunGraph } from '../../kernel/contract/run.ts'
import type { ToolflowNode, ToolflowCandidate, ToolflowSettings } from './toolflow.ts'
import type { ToolflowState } from './state.ts'

/** The work a flow starts at a node; null if the node only decides. */
export type ToolflowWork =
  'toolflow_search' | 'toolflow_card' | 'toolflow_judge' | 'toolflow_dry_run' | 'toolflow_dispatch'

export const NODES: Readonly<Record<ToolflowNode, { readonly does: ToolflowWork | null; readonly says: string }>> = {
  TOOL_SEARCH: { does: 'toolflow_search', says: 'find tools that match the query' },
  SELECT: { does: null, says: 'take the first, unless it is unclear which one is meant' },
  GET_CARD: { does: 'toolflow_card', says: 'read its card, fill in and check the arguments' },
  SERENITY_GATE: { does: 'toolflow_judge', says: 'every decider judges the call' },
  BLOCK: { does: 'toolflow_dispatch', says: 'the gate refuses the call and records it' },
  ASK: { does: 'toolflow_dispatch', says: 'the gate holds the call for a person' },
  DRY_RUN: { does: 'toolflow_dry_run', says: 'dry run' },
  EXECUTE: { does: 'toolflow_dispatch', says: 'the call goes through the gate' },
  FINAL: { does: null, says: 'one card, and the outcome is recorded' },
}

/** Named, so that the graph can be drawn and each condition tested separately. */
export const CONDITIONS = {
  searched: ({ candidates }) => candidates !== null,
  'a person chose': ({ chosen }) => chosen !== null,
  'none found': ({ candidates }) => candidates?.length === 0,
  ambiguous: ({ candidates, limits }) => isAmbiguous(candidates ?? [], limits),
  clear: ({ candidates, limits }) => (candidates ?? []).length > 0 && !isAmbiguous(candidates ?? [], limits),
  'something failed': ({ failure }) => failure !== null,
  'inputs missing': ({ card }) => card !== null && card.required_inputs.length > 0,
  'inputs complete': ({ card }) => card !== null && card.required_inputs.length === 0,
  'the gate blocks': ({ judged }) => judged?.evidence.gate_status === 'BLOCK',
  'the gate asks': ({ judged }) => judged?.evidence.gate_status === 'ASK',
  'AUTO_RUN with a dry run': ({ judged }) => judged?.evidence.gate_status === 'AUTO_RUN' && judged.dry_run,
  AUTO_RUN: ({ judged }) => judged?.evidence.gate_status === 'AUTO_RUN',
  'would work': ({ dry_run_result }) => dry_run_result !== null,
  'nothing to hold': ({ judged }) => judged === null,
  held: ({ call }) => call?.status === 'pending',
  refused: ({ call }) => call?.status === 'refused',
  'the call has ended': ({ call }) => call !== null && OVER.has(call.status),
} as const satisfies Record<string, (state: ToolflowState) => boolean>
type ToolflowCondition = keyof typeof CONDITIONS

/** A call whose outcome is unknown has not ended: a person can still settle it. */
const OVER: ReadonlySet<string> = new Set(['executed', 'failed', 'refused'])

type ToolflowEdge = {
  readonly from: ToolflowNode
  readonly when: ToolflowCondition
  readonly to: ToolflowNode
}

/**
 * The first edge of a node whose condition holds is taken; if none does, the node's own work comes first.
 * INVARIANT: from ASK only FINAL can be reached. A person's decision is carried out by the held call itself, so that nothing here
 * turns an ask into AUTO_RUN (law in graph.test.ts).
 */
export const EDGES: readonly ToolflowEdge[] = [
  { from: 'TOOL_SEARCH', when: 'searched', to: 'SELECT' },
  { from: 'TOOL_SEARCH', when: 'something failed', to: 'FINAL' },
  { from: 'SELECT', when: 'a person chose', to: 'GET_CARD' },
  { from: 'SELECT', when: 'none found', to: 'FINAL' },
  { from: 'SELECT', when: 'ambiguous', to: 'ASK' },
  { from: 'SELECT', when: 'clear', to: 'GET_CARD' },
  { from: 'GET_CARD', when: 'something failed', to: 'FINAL' },
  { from: 'GET_CARD', when: 'inputs missing', to: 'ASK' },
  { from: 'GET_CARD', when: 'inputs complete', to: 'SERENITY_GATE' },
  { from: 'SERENITY_GATE', when: 'something failed', to: 'FINAL' },
  { from: 'SERENITY_GATE', when: 'the gate blocks', to: 'BLOCK' },
  { from: 'SERENITY_GATE', when: 'the gate asks', to: 'ASK' },
  { from: 'SERENITY_GATE', when: 'AUTO_RUN with a dry run', to: 'DRY_RUN' },
  { from: 'SERENITY_GATE', when: 'AUTO_RUN', to: 'EXECUTE' },
  { from: 'DRY_RUN', when: 'something failed', to: 'FINAL' },
  { from: 'DRY_RUN', when: 'would work', to: 'EXECUTE' },
  { from: 'EXECUTE', when: 'held', to: 'ASK' },
  { from: 'EXECUTE', when: 'refused', to: 'BLOCK' },
  { from: 'EXECUTE', when: 'the call has ended', to: 'FINAL' },
  { from: 'BLOCK', when: 'the call has ended', to: 'FINAL' },
  { from: 'ASK', when: 'nothing to hold', to: 'FINAL' },
  { from: 'ASK', when: 'the call has ended', to: 'FINAL' },
]

/** The same table as data, for drawing it. */
export const GRAPH: RunGraph = {
  nodes: Object.entries(NODES).map(([id, { says }]) => ({ id, says })),
  edges: EDGES,
}

/** Whether it is unclear which tool is meant: the first is a guess, or the second is nearly as good. */
export function isAmbiguous(
  [first, second]: readonly Pick<ToolflowCandidate, 'score_hint'>[],
  { close_within, floor }: ToolflowSettings,
): boolean {
  if (first === undefined) return false
  if (first.score_hint < floor) return true
  return second !== undefined && second.score_hint >= first.score_hint * (1 - close_within)
}
