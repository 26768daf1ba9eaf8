import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../kernel/contract/run.ts'
import { TOOLFLOW_VERDICTS } from '../serenity/api.ts'
import { TOOLFLOW_NODES, type ToolflowNode } from './toolflow.ts'
import { Effect } from '../../kernel/contract/verdict.ts'
import { drawGraph } from '../../kernel/runs/draw-graph.ts'
import { EDGES, GRAPH, NODES } from './graph.ts'
import { begin, CANDIDATES, done, FLOW, SCORED, walk } from './flows.suite.ts'
import { toolflow } from './step.ts'

function reachableFrom(node: ToolflowNode, seen = new Set<ToolflowNode>()): ReadonlySet<ToolflowNode> {
  for (const { from, to } of EDGES) {
    if (from !== node || seen.has(to)) continue
    seen.add(to)
    reachableFrom(to, seen)
  }
  return seen
}

describe('the graph', () => {
  test('leads from the search to every node, from every node to the end, and never back', () => {
    expect(new Set(['TOOL_SEARCH', ...reachableFrom('TOOL_SEARCH')])).toEqual(new Set(TOOLFLOW_NODES))
    for (const node of TOOLFLOW_NODES) {
      if (node !== 'FINAL') expect(reachableFrom(node)).toContain('FINAL')
      expect(reachableFrom(node)).not.toContain(node)
    }
  })

  test('leads from ASK to the end and nowhere else', () => {
    expect([...reachableFrom('ASK')]).toEqual(['FINAL'])
  })

  test('reaches a tool only through the gate', () => {
    const before = EDGES.filter(({ to }) => to === 'EXECUTE' || to === 'DRY_RUN').map(({ from }) => from)
    expect(new Set(before)).toEqual(new Set(['SERENITY_GATE', 'DRY_RUN']))
    expect(TOOLFLOW_NODES.filter((node) => NODES[node].does === 'toolflow_dispatch')).toEqual([
      'BLOCK',
      'ASK',
      'EXECUTE',
    ])
  })

  test('is drawn from the same data', () => {
    const lines = drawGraph(GRAPH).split('\n')
    expect(lines).toHaveLength(1 + TOOLFLOW_NODES.length + EDGES.length)
    for (const { from, when, to } of EDGES) expect(lines).toContain(`  ${from} -- "${when}" --> ${to}`)
  })
})

/** Any events, from anybody and in any order, true or not. */
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({
    type: fc.constantFrom('timer', 'toolflow.started', 'approval.approved', 'effect.unknown', 'call.retried'),
  }),
  fc.record({
    type: fc.constant('call.ended'),
    call_id: fc.constant('call_1'),
    state: fc.constantFrom('executed', 'failed', 'refused', 'unknown', 'pending', 'nonsense'),
  }),
  fc
    .record({
      node: fc.constantFrom(...TOOLFLOW_NODES),
      filled: fc.record(
        {
          candidates: fc.constantFrom([], CANDIDATES, SCORED(0.9, 0.1)),
          card: fc.constantFrom(done.card()['card'] ?? null, done.card(['text'])['card'] ?? null),
          judged: fc.constantFrom(
            ...(['AUTO_RUN', 'ASK', 'BLOCK'] as const).map((word) => done.judged(word)['judged'] ?? null),
          ),
          dry_run_result: fc.constant('would work'),
          failure: fc.constant({ code: 'tool.gone', says: 'gone' }),
          call: fc.record({
            call_id: fc.constant('call_1'),
            status: fc.constantFrom('executed', 'failed', 'refused', 'unknown', 'pending', 'executing'),
            reason: fc.constant(null),
          }),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ node, filled }) => ({ type: 'effect.done', key: `${FLOW.run_id}/${node}`, ...filled })),
)

describe('law: for any events,', () => {
  const lives = fc.array(anyEvent, { maxLength: 30 })
  const dispatches = ['toolflow_dispatch', 'toolflow_dry_run', 'toolflow_judge']

  test('an ambiguous flow never reaches a tool, whatever gate, consent, provider or force says', () => {
    const ambiguous = fc.constantFrom(SCORED(0.9, 0.81), SCORED(0.9, 0.9), SCORED(0.49), SCORED(0.49, 0.1))
    fc.assert(
      fc.property(ambiguous, lives, (candidates, life) => {
        const { effects, state } = walk(begin(), [done.searched(candidates), ...life])
        expect(effects.filter(({ kind }) => dispatches.includes(kind))).toEqual([])
        expect(state.path).not.toContain('EXECUTE')
        expect(state.path).toEqual(['TOOL_SEARCH', 'SELECT', 'ASK', 'FINAL'])
      }),
    )
  })

  test('what the gate asks about or blocks is dispatched at least as strictly, and only allowed calls run unchanged', () => {
    const least = { AUTO_RUN: 'allow', ASK: 'ask', BLOCK: 'block' } as const
    const strictness: readonly Effect[] = ['allow', 'ask', 'block']
    fc.assert(
      fc.property(fc.constantFrom(...TOOLFLOW_VERDICTS), fc.boolean(), lives, (word, dry_run, life) => {
        const judged = [done.searched(), done.card(), done.judged(word, dry_run)]
        const dispatched = walk(begin(), [...judged, ...life]).effects.filter(
          ({ kind }) => kind === 'toolflow_dispatch',
        )
        if (word !== 'AUTO_RUN') expect(dispatched).not.toEqual([])
        for (const { with: details } of dispatched)
          expect(strictness.indexOf(Effect.parse(details['at_least']))).toBeGreaterThanOrEqual(
            strictness.indexOf(least[word]),
          )
      }),
    )
  })

  test('each node is worked at most once, and an ended flow stays ended', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const { effects, state, isDone } = walk(begin(), [{ type: 'toolflow.started' }, ...life])
        const keys = effects.map(({ key }) => key)
        expect(new Set(keys).size).toBe(keys.length)
        expect(new Set(state.path).size).toBe(state.path.length)
        if (isDone)
          expect(toolflow.step(state, { type: 'call.ended', call_id: 'call_1', state: 'executed' }).effects).toEqual([])
      }),
    )
  })
})
