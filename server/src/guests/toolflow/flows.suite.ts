import type { JsonObject } from '../../kernel/contract/json.ts'
import type { RunEffect, RunEvent } from '../../kernel/contract/run.ts'
import type { ToolflowVerdict } from '../serenity/api.ts'
import type { ToolflowBody, ToolflowCandidate, ToolflowNode } from './toolflow.ts'
import { startToolflow, type ToolflowState } from './state.ts'
import { toolflow, type ToolflowEvent } from './step.ts'

export const FLOW = { run_id: 'run_0000000000000000' } as const

export function begin(body: Partial<ToolflowBody> = {}): ToolflowState {
  return startToolflow({
    ...FLOW,
    caller: { kind: 'user', id: 'user:ana', user: 'ana' },
    trace: 'trace',
    asked_hash: 'a',
    limits: { close_within: 0.1, floor: 0.5 },
    body: { user_prompt: 'note it', top_k: 5, ...body },
  })
}

export const SCORED = (...hints: readonly number[]): readonly ToolflowCandidate[] =>
  hints.map((score_hint, at) => ({ skill_id: `s__t${at}`, title: `t${at}`, score_hint, tags: [], reason: '' }))
export const CANDIDATES = SCORED(0.9, 0.2)

const of = (node: ToolflowNode, filled: JsonObject): RunEvent => ({
  type: 'effect.done',
  key: `${FLOW.run_id}/${node}`,
  ...filled,
})

/** The results of a flow's work, as the driver delivers them. */
export const done = {
  searched: (candidates = CANDIDATES) => of('TOOL_SEARCH', { candidates }),
  card: (required_inputs: readonly string[] = [], dry_run_supported = false) =>
    of('GET_CARD', {
      args: { of: 'caller', value: { text: 'x' } },
      card: {
        title: 'T',
        purpose: 'P',
        risk: 'low',
        dry_run_supported,
        required_inputs,
        why_inputs: 'why',
        proposed_args: '{}',
      },
    }),
  judged: (gate_status: ToolflowVerdict, dry_run = false) =>
    of('SERENITY_GATE', {
      judged: {
        evidence: { gate_status, total_score: null, risk_score: null, stale_score: null, source: 'policy' },
        dry_run,
      },
    }),
  dispatched: (node: ToolflowNode, status: string) => of(node, { call: { call_id: 'call_1', status, reason: null } }),
  of,
}

/** Feeds events to a flow one at a time. */
export function walk(start: ToolflowState, events: readonly RunEvent[]) {
  let state = start
  let isDone = false
  const effects: RunEffect[] = []
  for (const event of [{ type: 'toolflow.started' }, ...events]) {
    if (isDone) break
    const next = toolflow.step(state, event as ToolflowEvent)
    state = next.state
    effects.push(...next.effects)
    isDone = next.ends !== undefined
  }
  return { state, effects, isDone, kinds: effects.map(({ kind }) => kind.replace('toolflow_', '')) }
}
