import { expect, test } from 'vitest'
import { problem } from '../../kernel/contract/problems.ts'
import { foundIn } from './tool-step.ts'

test.each([
  ['call.unanswered', true],
  ['call.read_interrupted', true],
  ['tool.unavailable', true],
  ['tool.failed', false],
  ['tool.timeout', false],
] as const)('a failed call with %s may be repeated: %s', (code, again) => {
  const outcome = { status: 'failed', call_id: 'call_1', problem: problem(code) } as const
  expect(foundIn(outcome, false)).toMatchObject({ failure: { code: 'tool_failed', again } })
})
