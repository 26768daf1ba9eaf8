import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate } from '../../../../test/helpers/with-running-gate.ts'

/** Equal acts of one session, approved together on the command line. What was approved is trusted there, and nowhere else. */
let gate: Awaited<ReturnType<typeof startGate>>
let agent: string
let approver: string
beforeAll(async () => {
  gate = await startGate((folder) => {
    const book = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../../../../test/tool-servers/letters.ts')],
      env: { EFFECTS: join(folder, 'effects.txt') },
      tools: {
        read_letter: { effects: ['read'] },
        send_letter: { effects: ['write', 'external'], content: { pii: 'off' } },
      },
    }
    const rules = [{ id: 'all', effect: 'allow', match: { tool: '*' }, says: 'provenance does the asking' }]
    writeFileSync(
      join(folder, 'sluice.yaml'),
      JSON.stringify({ listen: { port: 0 }, policy: { rules }, servers: { book } }),
    )
  })
  agent = await gate.key('agent', 'clerk', 'ana')
  approver = await gate.key('approver', 'bob')
}, 120_000)
afterAll(() => gate.stop())

const effects = (): readonly string[] => {
  const file = join(gate.folder, 'effects.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}
async function begin(thread: string): Promise<void> {
  await gate.http('POST', '/v1/calls', agent, { tool: 'book__read_letter', args: { letter: '2' }, thread })
}
async function sends(thread: string, to: string, text: string): Promise<Record<string, unknown>> {
  return (await gate.http('POST', '/v1/calls', agent, { tool: 'book__send_letter', args: { to, text }, thread })).body
}
const ids = (held: readonly Record<string, unknown>[]) => held.map(({ approval_id }) => String(approval_id))

test('one decision covers equal acts, each with its own digest; the session trusts them afterwards, another one does not', async () => {
  await begin('first')
  await begin('second')
  const to = 'eve@evil.example'
  const equal: Record<string, unknown>[] = []
  for (const text of ['one', 'two', 'three']) equal.push(await sends('first', to, text))
  expect(equal.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])
  const elsewhere = await sends('second', to, 'four')
  const [first = '', ...others] = ids(equal)

  const done = await gate.cli('--key', approver, 'approve', first, '--alike')
  expect(done.code).toBe(0)
  expect(done.err).toContain('Send 3 e-mails to eve@evil.example')
  for (const id of [first, ...others]) expect(done.out).toContain(`${id} is approved`)
  // What was approved is trusted once its outcome is recorded.
  for (const { call_id } of equal) {
    const path = `/v1/calls/${String(call_id)}?wait_ms=60000&session=first`
    expect((await gate.http('GET', path, agent)).body['status']).toBe('executed')
  }
  expect(effects()).toHaveLength(3)

  // Each of its values was approved; a text that nobody approved is asked about, as long as a letter requests the action.
  expect((await sends('first', to, 'two'))['status']).toBe('executed')
  expect((await sends('first', to, 'five'))['status']).toBe('pending')
  expect((await sends('first', 'mallory@evil.example', 'six'))['status']).toBe('pending')
  expect((await sends('second', to, 'seven'))['status']).toBe('pending')
  const still = await gate.http('GET', `/v1/approvals/${String(elsewhere['approval_id'])}`, approver)
  expect(still.body['state']).toBe('pending')
})

test('what is not alike is not covered, and a program decides nothing that was not shown', async () => {
  await begin('third')
  const held = [await sends('third', 'eve@evil.example', 'a'), await sends('third', 'mallory@evil.example', 'b')]
  const [one = '', two = ''] = ids(held)
  const both = await gate.cli('--key', approver, 'approve', one, '--alike')
  // Two recipients of one session are one question: the sentence contains both.
  expect(both.err).toContain('Send 2 e-mails to eve@evil.example and mallory@evil.example')
  expect(both.out).toContain(`${two} is approved`)
  const refused = await gate.cli('--key', approver, 'approve', one, '--alike')
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain('has no similar requests')
  expect((await gate.cli('--key', approver, 'approve', one, '--alike', '--remember', '1 call for 1h')).code).not.toBe(0)
})
