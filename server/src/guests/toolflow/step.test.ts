import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../kernel/contract/run.ts'
import { cardOf } from './read-toolflow.ts'
import { begin, done, SCORED, walk } from './flows.suite.ts'
import { isAmbiguous } from './graph.ts'

const ended = (state: string): RunEvent => ({ type: 'call.ended', call_id: 'call_1', state })
const auto = [done.searched(), done.card(), done.judged('AUTO_RUN')]
const ask = [done.searched(), done.card(), done.judged('ASK')]

test.each<[string, readonly RunEvent[], string, readonly string[]]>([
  ['nothing found', [done.searched([])], 'NO_CANDIDATES', ['search']],
  ['two equally good', [done.searched(SCORED(0.9, 0.9))], 'ASK', ['search']],
  ['inputs missing', [done.searched(), done.card(['text'])], 'ASK', ['search', 'card']],
  ['run', [...auto, done.dispatched('EXECUTE', 'executed')], 'OK', ['search', 'card', 'judge', 'dispatch']],
  ['failed', [...auto, done.dispatched('EXECUTE', 'failed')], 'FAILED', ['search', 'card', 'judge', 'dispatch']],
  [
    'blocked',
    [done.searched(), done.card(), done.judged('BLOCK'), done.dispatched('BLOCK', 'refused')],
    'BLOCK',
    ['search', 'card', 'judge', 'dispatch'],
  ],
  [
    'approved',
    [...ask, done.dispatched('ASK', 'pending'), ended('executed')],
    'OK',
    ['search', 'card', 'judge', 'dispatch'],
  ],
  [
    'denied',
    [...ask, done.dispatched('ASK', 'pending'), ended('refused')],
    'BLOCK',
    ['search', 'card', 'judge', 'dispatch'],
  ],
  [
    'a dry run that failed',
    [
      done.searched(),
      done.card([], true),
      done.judged('AUTO_RUN', true),
      done.of('DRY_RUN', { failure: { code: 'call.dry_run_failed', says: 'no' } }),
    ],
    'FAILED',
    ['search', 'card', 'judge', 'dry_run'],
  ],
  [
    'held only at the dispatch',
    [...auto, done.dispatched('EXECUTE', 'pending'), done.dispatched('ASK', 'pending'), ended('executed')],
    'OK',
    ['search', 'card', 'judge', 'dispatch', 'dispatch'],
  ],
  [
    'notified of its end twice',
    [...auto, ended('executed'), done.dispatched('EXECUTE', 'executed')],
    'OK',
    ['search', 'card', 'judge', 'dispatch'],
  ],
  [
    'with an unknown outcome, then settled',
    [...auto, ended('unknown'), done.dispatched('EXECUTE', 'unknown'), ended('executed')],
    'OK',
    ['search', 'card', 'judge', 'dispatch'],
  ],
])('%s ends with the right card and the right work', (_, events, status, kinds) => {
  const flow = walk(begin(), events)
  expect([flow.state.node, flow.kinds]).toEqual(['FINAL', kinds])
  expect(cardOf(flow.state, undefined).status).toBe(status)
  expect(flow.isDone).toBe(true)
})

test('a held call, and one with an unknown outcome, leave the flow where it is', () => {
  expect(walk(begin(), [...ask, done.dispatched('ASK', 'pending')]).state.node).toBe('ASK')
  expect(walk(begin(), [...auto, done.dispatched('EXECUTE', 'unknown')]).state.node).toBe('EXECUTE')
})

test('a person’s own choice counts if the search is ambiguous or finds nothing', () => {
  for (const found of [SCORED(0.9, 0.9), []]) {
    const { state } = walk(begin({ skill_id: 's__t1' }), [done.searched(found)])
    expect([state.node, state.selected_skill_id]).toEqual(['GET_CARD', 's__t1'])
  }
})

test('two candidates are searched for even if only one is requested', () => {
  expect(walk(begin({ top_k: 1 }), []).effects[0]?.with['top_k']).toBe(2)
})

test('arguments are removed at the end', () => {
  expect(walk(begin({ args: { text: 'x' } }), [done.searched([])]).state.args).toBeNull()
})

describe('ambiguous is', () => {
  const limits = { close_within: 0.1, floor: 0.5 }
  test.each([
    [[], false],
    [[0.5], false],
    [[0.4999], true],
    [[0.9, 0.8], false],
    [[0.9, 0.81], true],
    [[1, 0.9], true],
    [[1, 0.8999], false],
  ])('%j: %s', (hints, is) => {
    expect(isAmbiguous(SCORED(...hints), limits)).toBe(is)
  })

  test('as the operator configured', () => {
    expect(isAmbiguous(SCORED(0.3, 0.29), { close_within: 0, floor: 0 })).toBe(false)
    expect(isAmbiguous(SCORED(0.3, 0.3), { close_within: 0, floor: 0 })).toBe(true)
    expect(isAmbiguous(SCORED(0.9, 0.1), { close_within: 0.9, floor: 0 })).toBe(true)
  })
})
