import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { until } from '../../../../test/helpers/with-gate.ts'

/** What needs attention, as people see it: each kind, and what does not belong there. */
let gate: RunningGate & { stop(): Promise<void> }
const keys = { admin: '', mara: '', reviewer: '', ana: '', agent: '', other: '' }
const at = (name: string) => resolve(import.meta.dirname, `../../../../test/tool-servers/${name}.ts`)

beforeAll(async () => {
  gate = await startGate((folder) => {
    const book = {
      command: 'node',
      args: [at('effects')],
      env: { EFFECTS: join(folder, 'effects.txt') },
      tools: { note: { effects: ['write'] }, slow_note: { effects: ['write'] } },
    }
    const post = { command: 'node', args: [at('starting'), 'complains', join(folder, 'mended')] }
    const fragile = { command: 'node', args: [at('watched')], tools: { die: { effects: ['write'] } } }
    writeFileSync(
      join(folder, 'sluice.yaml'),
      JSON.stringify({
        listen: { port: 0 },
        policy: {
          rules: [
            { id: 'notes', effect: 'ask', match: { tool: 'book__*' }, says: 'notes are read by others' },
            { id: 'dies', effect: 'allow', match: { tool: 'fragile__die' }, says: 'harmless' },
          ],
        },
        approvals: { routes: [{ id: 'soon', match: { tool: 'book__slow_note' }, expires: '10m' }] },
        servers: { book, post, fragile },
      }),
    )
  })
  keys.admin = await gate.key('admin', 'root')
  keys.mara = await gate.key('approver', 'mara')
  keys.reviewer = await gate.key('reviewer', 'rita')
  keys.ana = await gate.key('user', 'ana', 'ana')
  keys.agent = await gate.key('agent', 'a', 'ana')
  keys.other = await gate.key('agent', 'b', 'bob')
})
afterAll(() => gate.stop())

type Part = { count: number; items: Record<string, unknown>[] }
type Attention = Record<'servers' | 'unknown' | 'consents' | 'tools', Part> & { requests: Part & { pending: number } }
const read = async (key = keys.admin) => {
  const { status, body } = await gate.http('GET', '/v1/attention', key)
  expect(status).toBe(200)
  return body as unknown as Attention
}
const call = async (key: string, tool: string, text: string) =>
  (await gate.http('POST', '/v1/calls', key, { tool, args: { text } })).body

test('an agent is refused', async () => {
  expect((await gate.http('GET', '/v1/attention', keys.agent)).status).toBe(403)
})

test('a server that is down, with its reason and its last line', async () => {
  await until(async () => (await read()).servers.items.some(({ failures }) => Number(failures) > 1))
  expect((await read(keys.mara)).servers).toMatchObject({
    count: 1,
    items: [
      {
        server: 'post',
        last_failure: 'it did not answer (exit code 1)',
        last_line: 'Error: TOKEN⟨U+202E⟩ is not set',
      },
    ],
  })
})

test('only requests that expire soon, the first to expire first, and only to those who may see them', async () => {
  await call(keys.agent, 'book__note', 'tomorrow')
  await call(keys.agent, 'book__slow_note', 'first')
  await call(keys.other, 'book__slow_note', 'second')
  const { requests } = await read(keys.mara)
  expect(requests).toMatchObject({ pending: 3, count: 2 })
  expect(requests.items.map(({ asked_by }) => (asked_by as { user: string }).user)).toEqual(['ana', 'bob'])
  expect((await read(keys.ana)).requests).toMatchObject({ pending: 2, count: 1 })
  expect((await read(keys.reviewer)).requests).toMatchObject({ pending: 0, count: 0, items: [] })
})

test('a call with an unknown outcome, until it is settled', async () => {
  const { call_id } = await call(keys.agent, 'fragile__die', '')
  await until(async () => (await read()).unknown.count === 1)
  expect((await read(keys.ana)).unknown.items).toMatchObject([{ call_id, asked_by: { user: 'ana' } }])
  await gate.http('POST', `/v1/calls/${String(call_id)}/resume`, keys.mara, { as: 'failed' })
  expect((await read()).unknown).toEqual({ count: 0, items: [] })
})

test('a consent in use that has few calls left, until they are used up', async () => {
  const remember = { remember: { calls: 5, expires_in_s: 86_400, args: [{ path: '/text', op: 'any' }] } }
  const held = await call(keys.agent, 'book__note', 'remembered')
  expect((await gate.approve(held['approval_id'], keys.mara, remember)).status).toBe(200)
  expect((await read()).consents.count).toBe(0)
  for (const text of ['1', '2', '3'])
    expect(await call(keys.agent, 'book__note', text)).toMatchObject({ status: 'executed' })
  expect((await read()).consents.count).toBe(0)
  await call(keys.agent, 'book__note', '4')
  expect((await read()).consents).toMatchObject({ count: 1, items: [{ tool: 'book__note', calls: 5, calls_left: 1 }] })
  await call(keys.agent, 'book__note', '5')
  expect((await read()).consents.count).toBe(0)
})
