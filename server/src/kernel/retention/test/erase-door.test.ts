import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate()
})
afterAll(() => gate.stop())

test('`sluice erase` asks first, removes with `--yes`, and exits with another code if something is still open', async () => {
  const key = await gate.key('agent', 'ana-agent', 'ana')
  await gate.http('POST', '/v1/calls', key, { tool: 'book__look', args: {} })
  const held = await gate.http('POST', '/v1/calls', key, { tool: 'book__note', args: { text: 'wait for me' } })
  expect(held.body).toMatchObject({ status: 'pending' })

  const unasked = await gate.cli('erase', '--user', 'ana')
  expect(unasked.code).not.toBe(0)
  expect(unasked.err).toContain('erase.needs_yes')

  const first = await gate.cli('erase', '--user', 'ana', '--yes')
  expect(first.code).not.toBe(0)
  expect(first.out).toContain('ana: 1 calls')
  expect(first.err).toContain(String(held.body['call_id']))

  const second = await gate.cli('--json', 'erase', '--user', 'ana', '--withdraw', '--yes')
  expect(second.code).toBe(0)
  expect(JSON.parse(second.out)).toMatchObject({ user: 'ana', calls: 1, open: [] })
  const read = await gate.http('GET', `/v1/calls/${String(held.body['call_id'])}`, key)
  expect(JSON.stringify(read.body)).not.toContain('wait for me')
  expect((await gate.cli('audit', 'verify')).code).toBe(0)
})
