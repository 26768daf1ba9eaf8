import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FlowStep } from './flows.ts'
import { newExecution, type FlowExecution } from './execution-state.ts'
import { flowExecution, type ExecutionEvent, type ExecutionFound } from './execution-step.ts'

const start = newExecution({
  execution_id: 'fexec_000000000000000000000000',
  flow_run_id: 'run_0000000000000000',
  consent_id: 'fcons_000000000000000000000000',
  step: FlowStep.parse({
    step_id: 'flow_x#1',
    flow_id: 'flow_x',
    ordinal: 1,
    owned_job: 'x',
    instruction: 'x',
    verification: { kind: 'artifact_exists', evidence_required: true },
    automatable: 'automatable',
  }),
  lane: 'local_default',
  caller: {},
  trace: '',
  tools: ['book__look'],
  prompt_ids: [],
})

const CALL = 'call_000000000000000000000000'
const found = fc.constantFrom<ExecutionFound>(
  { said: true },
  { proposed: { tool: 'book__look', args: {} } },
  { wasted: 'no such tool' },
  { result: { text: 'x', ok: true } },
  { result: { text: 'x', ok: false } },
  { call: { call_id: CALL, status: 'pending' } },
  { capped: true },
  { failure: 'broken' },
  { output: 'x', verified: true },
)
type TestEvent = { readonly found: ExecutionFound } | { readonly other: ExecutionEvent }
const event: fc.Arbitrary<TestEvent> = fc.oneof(
  { weight: 8, arbitrary: found.map((one): TestEvent => ({ found: one })) },
  {
    weight: 1,
    arbitrary: fc.constant<TestEvent>({ other: { type: 'call.ended', call_id: CALL, state: 'executed' } }),
  },
  { weight: 1, arbitrary: fc.constant<TestEvent>({ other: { type: 'run.cancel', by: 'x' } }) },
)

test('law: no key is used twice, nothing completes without a call that succeeded, and only flow_finish ends it', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      let state: FlowExecution = start
      const keys: string[] = []
      let last = ''
      let succeeded = 0
      const take = (given: ExecutionEvent) => {
        const next = flowExecution.step(state, given)
        for (const effect of next.effects) {
          keys.push(effect.key)
          if (effect.kind !== 'withdraw_call') last = effect.kind
        }
        if (next.ends !== undefined) {
          expect(last).toBe('flow_finish')
          if (next.ends === 'done') expect(succeeded).toBeGreaterThan(0)
        }
        state = next.state
        return next.ends
      }
      take({ type: 'flow.started' })
      for (const one of events) {
        if ('found' in one) {
          const isCall = state.phase === 'calling'
          if (isCall && one.found.result?.ok === true && !state.stopping) succeeded += 1
        }
        const given: ExecutionEvent =
          'found' in one
            ? ({
                type: 'effect.done',
                key: `${start.execution_id}/${state.works}`,
                ...one.found,
              } as unknown as ExecutionEvent)
            : one.other
        if (take(given) !== undefined) break
      }
      expect(new Set(keys).size).toBe(keys.length)
      expect(state.asked).toBeLessThanOrEqual(24)
      expect(state.calls).toBeLessThanOrEqual(16)
    }),
    { numRuns: 1_000 },
  )
})

test('the end of a held call is not missed if it is reported before the call is known to be held', () => {
  const step = flowExecution.step
  let { state } = step(start, { type: 'flow.started' })
  const done = (result: ExecutionFound) =>
    ({ type: 'effect.done', key: `${start.execution_id}/${state.works}`, ...result }) as unknown as ExecutionEvent
  ;({ state } = step(state, done({ proposed: { tool: 'book__look', args: {} } })))
  ;({ state } = step(state, { type: 'call.ended', call_id: CALL, state: 'executed' }))
  const next = step(state, done({ call: { call_id: CALL, status: 'pending' } }))
  expect(next.effects.map(({ kind }) => kind)).toEqual(['flow_outcome'])
})
