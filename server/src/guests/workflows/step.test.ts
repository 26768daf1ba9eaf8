import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { startWorkflow, type WorkflowState } from './state.ts'
import { workflow, type WorkflowEvent } from './step.ts'

const protocolOf = (...steps: readonly JsonObject[]): JsonObject => ({
  id: 'p',
  trigger: { type: 'gateway.event', prefix: '' },
  steps,
})
const NOTE: JsonObject = { type: 'tool', tool: 'book__note', argsTemplate: { text: 'x' } }

const started = (protocol: JsonObject, reads: readonly string[] = []): WorkflowState =>
  startWorkflow({
    run_id: 'run_1',
    document: 'clerk',
    version: 1,
    caller: { kind: 'agent', id: 'agent:workflow/clerk', user: 'ana' },
    thread: 't',
    trace: 'trace',
    protocol,
    targets: {},
    reads,
    place: null,
    hold_s: null,
    trigger: { type: 'manual', sender: null, room: null, source: null, message: '' },
    input: { list: [1, 2] },
    started_at: 0,
  })

/** The steps after these events; effects are shown by kind. */
function play(first: WorkflowState, events: readonly WorkflowEvent[]) {
  let state = first
  const effects: string[][] = []
  let last: ReturnType<typeof workflow.step> | undefined
  for (const event of events) {
    last = workflow.step(state, event)
    ;({ state } = last)
    effects.push(last.effects.map(({ kind, key }) => `${kind} ${key}`))
  }
  return { state, effects, ends: last?.ends, waits_for: last?.waits_for }
}

const START: WorkflowEvent = { type: 'workflow.started', at: 1 }
const held = (key: string, call_id: string, status = 'pending'): WorkflowEvent => ({
  type: 'effect.done',
  key,
  call: { call_id, status, approval_id: status === 'pending' ? 'auth_1' : null },
})
const ended = (call_id: string, state: string): WorkflowEvent => ({ type: 'call.ended', call_id, state })

describe('a call that ended before its step knew that it has to wait for it', () => {
  test.each(['pending', 'executing', 'unknown'])('is looked up when the step learns %s', (status) => {
    const { effects } = play(started(protocolOf(NOTE)), [
      START,
      ended('call_1', 'executed'),
      held('run_1/1/0', 'call_1', status),
    ])
    expect(effects).toEqual([['workflow_tool run_1/1/0'], [], ['workflow_outcome run_1/2/0']])
  })

  test('is that call and no other, even in parallel', () => {
    const loop = { type: 'for_each', itemsExpr: 'input.list', itemVar: 'item', maxIterations: 10, steps: [NOTE] }
    const { effects } = play(started(protocolOf(loop), ['book__note']), [
      START,
      ended('call_2', 'executed'),
      held('run_1/1/0.0', 'call_1'),
      held('run_1/2/0.0', 'call_2'),
    ])
    expect(effects).toEqual([
      ['workflow_tool run_1/1/0.0', 'workflow_tool run_1/2/0.0'],
      [],
      [],
      ['workflow_outcome run_1/3/0.0'],
    ])
  })

  test('leaves nothing behind once no step can wait for it', () => {
    const { state } = play(started(protocolOf(NOTE, { ...NOTE, type: 'persist', key: 'k', value: 1 })), [
      START,
      ended('call_1', 'executed'),
      { type: 'effect.done', key: 'run_1/1/0', output: 'noted' },
    ])
    expect(state.ended_early).toBeUndefined()
  })
})

test('a run whose approved call has an unknown outcome waits for the call, no longer for its approval', () => {
  const asked = play(started(protocolOf(NOTE)), [START, held('run_1/1/0', 'call_1')])
  expect(asked.waits_for).toBe('approval auth_1')
  const unknown = play(asked.state, [ended('call_1', 'unknown')])
  expect(unknown.waits_for).toBe('call call_1')
  expect(play(unknown.state, [ended('call_1', 'executed')]).effects).toEqual([['workflow_outcome run_1/2/0']])
  expect(play(unknown.state, [{ type: 'run.cancel', by: 'admin:ana' }])).toMatchObject({ ends: 'cancelled' })
})
