import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCESS } from '../../../scripts/app-without-gate.ts'
import { rpc, sendRaw } from '../helpers/send-raw.ts'
import { configure, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import {
  fieldsOf,
  isFlowChange,
  KEYS,
  lookupsOfAgents,
  METHODS_WITHOUT_LOOKUP,
  NOT_BY_CALLER,
  OTHERS,
  OWN_TOOLS_WITHOUT_LOOKUP,
  type Actor,
} from './lookups-of-agents.ts'

let gate: RunningGate & { stop(): Promise<void> }
const keys = new Map<Actor, string>()
const of = (actor: Actor): string => keys.get(actor) ?? ''

const SCRIPT = {
  rules: [
    { when: '^big$', plan: ['Look'], calls: [{ tool: 'book__big', args: { size: 20 } }], answer: 'SECRET: {{result}}' },
    {
      when: '^echo (.*)$',
      plan: ['Say it'],
      calls: [{ tool: 'book__echo', args: { text: '{{1}}' } }],
      answer: '{{result}}',
    },
  ],
}

beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...config, models: { script: './script.yaml' } }))
    writeFileSync(join(folder, 'script.yaml'), JSON.stringify(SCRIPT))
  })
  const admin = await gate.key('admin', 'root', 'root')
  for (const [actor, [name, user, grant]] of Object.entries(KEYS)) {
    const { body } = await gate.http('POST', '/v1/keys', admin, { kind: 'agent', name, user, ...grant })
    keys.set(actor as Actor, String(body['key']))
    if (actor === 'revoked') await gate.http('DELETE', `/v1/keys/${String(body['key_id'])}`, admin)
  }
})
afterAll(() => gate.stop())

const { lookups: LOOKUPS, began, post } = lookupsOfAgents(() => gate)

test('every route that an agent may use is in this table, or in the list of those that look nothing up', () => {
  const usable = [...ACCESS]
    .filter(([, access]) => access !== 'anyone' && access.includes('agent'))
    .map(([name]) => name)
  const missing = usable.filter(
    (name) => LOOKUPS[name] === undefined && NOT_BY_CALLER[name] === undefined && !isFlowChange(name),
  )
  expect(missing).toEqual([])
  expect(Object.keys(NOT_BY_CALLER).filter((name) => !usable.includes(name))).toEqual([])
})

test('every tool of the gate itself is in this table, or looks nothing up', async () => {
  const { text } = await sendRaw(gate, of('maker'), {
    path: '/mcp?surface=search',
    headers: { 'mcp-protocol-version': '2025-11-25' },
    body: rpc('tools/list'),
  })
  const names = [...text.matchAll(/"name":"([a-z_]+)"/g)].map(([, name = '']) => name)
  expect(names).toContain('call_status')
  const missing = names.filter(
    (name) => LOOKUPS[`own tool ${name}`] === undefined && !OWN_TOOLS_WITHOUT_LOOKUP.includes(name),
  )
  expect(missing).toEqual([])
})

test('every method of the MCP door is in this table, or looks nothing up', () => {
  const door = join(import.meta.dirname, '../../src/adapters/mcp')
  const text = readdirSync(door, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|suite)\.ts$/.test(file))
    .map((file) => readFileSync(join(door, file), 'utf8'))
    .join('\n')
  const methods = new Set([...text.matchAll(/'([a-z]+(?:\/[a-zA-Z]+)+)'/g)].map(([, name = '']) => name))
  const named = [...methods].filter((name) => !/^(?:application|text|notifications|sluice)\//.test(name))
  expect(named).toContain('tasks/get')
  const isKnown = (name: string) => LOOKUPS[`method ${name}`] !== undefined || METHODS_WITHOUT_LOOKUP.test(name)
  expect(named.filter((name) => !isKnown(name))).toEqual([])
})

describe.each(Object.entries(LOOKUPS))('%s', (_, { finds, look, shared = [] }) => {
  test('finds what a key with the same grant began', async () => {
    expect(await look(of('equal'), of('maker'))).toMatch(finds)
  })

  test.each(OTHERS)('of the %s key', async (actor) => {
    const found = await look(of(actor), of('maker'))
    if (shared.includes(actor)) expect(found).toMatch(finds)
    else expect(found).not.toMatch(finds)
  })
})

test('a repeated request is answered again only for an equal grant, on every POST', async () => {
  const { thread_id } = await began.thread(of('maker'))
  const path = `/agent/threads/${thread_id}/cancel`
  const ask = (actor: Actor) => sendRaw(gate, of(actor), { path, headers: { 'idempotency-key': 'repeated' }, body: {} })
  expect((await ask('maker')).text).toContain('SECRET')
  expect((await ask('equal')).headers).toMatchObject({ 'idempotency-replayed': 'true' })
  expect(await ask('smaller')).toMatchObject({ body: { code: 'request.key_reused' } })
  for (const actor of ['other agent', 'other user'] as const) expect(await ask(actor)).toMatchObject({ status: 404 })
})

test('a thread acts with the credential of the turn that asked', async () => {
  const { thread_id } = fieldsOf(await post(of('smaller'), '/agent/run', { message: 'echo one' }))
  const ask = (actor: Actor, message: string) => post(of(actor), '/agent/run', { message, thread_id })
  expect(await ask('smaller', 'big')).not.toContain('xxxx')
  // A key that grants more may continue it, and from then on it is a thread of that key.
  expect(await ask('maker', 'big')).toContain('SECRET: xxxx')
  expect(fieldsOf(await ask('smaller', 'echo two'))).toMatchObject({ code: 'agent.thread_unknown' })
})
