import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => void (gate = await startGate()))
afterAll(() => gate.stop())

test('`calls` is limited to a time and an agent', async () => {
  await gate.cli('call', 'book__look', '{"where":"then"}')
  expect((await gate.cli('calls', '--since', '1h')).out).toContain('book__look')
  expect((await gate.cli('calls', '--until', '1h')).out).toBe('no calls\n')
  expect((await gate.cli('calls', '--agent', 'nobody')).out).toBe('no calls\n')
  expect((await gate.cli('calls', '--since', 'soon')).err).toContain('neither a date nor a duration')
  expect((await gate.cli('calls', '--agent', 'a', '--caller', 'agent:b')).err).toContain('either --agent or --caller')
})
