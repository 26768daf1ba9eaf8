import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FlowStep, type StepState } from './flows.ts'
import { advanceStep, frontierOf, ordinalOf, withExecution } from './run-moves.ts'

const step = (n: number, required: boolean): FlowStep =>
  FlowStep.parse({
    step_id: `flow_x#${n}`,
    flow_id: 'flow_x',
    ordinal: n,
    owned_job: 'x',
    instruction: 'x',
    verification: { kind: 'artifact_exists', evidence_required: required },
    automatable: 'automatable',
  })

const stateOf = (n: number): StepState => ({
  step_id: `flow_x#${n}`,
  status: 'pending',
  evidence_ref: null,
  pointer_kind: null,
  verified: false,
  skip_reason: null,
})

const SIZE = 4
type Run = { flow_id: string; status: 'in_progress' | 'done' | 'abandoned'; step_states: readonly StepState[] }
const fresh: Run = {
  flow_id: 'flow_x',
  status: 'in_progress',
  step_states: Array.from({ length: SIZE }, (_, at) => stateOf(at + 1)),
}

const move = fc.record({
  n: fc.integer({ min: 1, max: SIZE }),
  status: fc.constantFrom('in_progress' as const, 'blocked' as const, 'done' as const, 'skipped' as const),
  executed: fc.boolean(),
  verified: fc.boolean(),
})

test('law: whatever is requested in any order, no step beyond the frontier changes, at most one step is in progress, and a done step stays done and verified', () => {
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: SIZE, maxLength: SIZE }),
      (moves, required) => {
        let run = fresh
        for (const { n, status, executed, verified } of moves) {
          const before = run
          const step_id = `flow_x#${n}`
          if (executed) run = withExecution(run, step_id, 'artifact://x', verified)
          else {
            const moved = advanceStep(run, step(n, required[n - 1] ?? false), {
              step_id,
              status,
              skip_reason: 'policy',
            })
            if (moved.ok) {
              expect(n).toBeLessThanOrEqual(frontierOf(before))
              run = moved.value
            }
          }
          expect(run.step_states.filter((one) => one.status === 'in_progress').length).toBeLessThanOrEqual(1)
          for (const [at, state] of before.step_states.entries())
            if (state.status === 'done') expect(run.step_states[at]).toEqual(state)
          for (const state of run.step_states)
            if (state.status === 'done' && required[ordinalOf(state.step_id) - 1] === true)
              expect(state.verified).toBe(true)
          const isOver = run.step_states.every((one) => one.status === 'done' || one.status === 'skipped')
          expect(run.status === 'done').toBe(isOver)
          if (before.status === 'done') expect(run).toEqual(before)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('law: an execution never makes a step done', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: SIZE }), fc.boolean(), (n, verified) => {
      const after = withExecution(fresh, `flow_x#${n}`, 'artifact://x', verified)
      expect(after.step_states.some(({ status }) => status === 'done')).toBe(false)
    }),
  )
})

test('a blocked step holds the frontier', () => {
  const blocked = advanceStep(fresh, step(1, false), { step_id: 'flow_x#1', status: 'blocked', skip_reason: null })
  expect(blocked.ok && frontierOf(blocked.value)).toBe(1)
})
