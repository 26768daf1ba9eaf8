import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesBelow } from '../../../../test/live-files.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

/** Names are stored, listed and exported as they are, so none may contain a credential. */
let gate: RunningGate & { stop(): Promise<void> }
let agent: string
let admin: string

beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
  admin = await gate.key('admin', 'root', 'root')
})
afterAll(() => gate.stop())

const token = `v1.1794765190.0123456789abcdef.${randomBytes(32).toString('hex')}`
const NOTE = { tool: 'book__note', args: { text: 'hello' } }

type Sent = { readonly status: number; readonly text: string }

async function post(path: string, key: string, body: object, headers: Record<string, string> = {}): Promise<Sent> {
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

const overMcp = (params: object, headers: Record<string, string> = {}) =>
  post(
    '/mcp',
    agent,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
  )
const once = (name: string) => ({ 'idempotency-key': name })
const asNote = { name: NOTE.tool, arguments: NOTE.args }

/** Every place where a caller chooses a name. */
const PLACES: readonly [string, (name: string) => Promise<Sent>][] = [
  ['the session of a call', (name) => post('/v1/calls', agent, { ...NOTE, thread: name })],
  ['the idempotency key of a call', (name) => post('/v1/calls', agent, NOTE, once(name))],
  ['a tool', (name) => post('/v1/calls', agent, { ...NOTE, tool: name })],
  ['the session of a toolflow', (name) => post('/v1/toolflow', agent, { prompt: 'write a note', thread: name })],
  ['the idempotency key of a toolflow', (name) => post('/v1/toolflow', agent, { prompt: 'write a note' }, once(name))],
  [
    'the idempotency key of an agent, in the body',
    (name) => post('/agent/run', agent, { message: 'hello', idempotency_key: name }),
  ],
  ['the idempotency key of an agent', (name) => post('/agent/run', agent, { message: 'hello' }, once(name))],
  [
    'the idempotency key of another command',
    (name) => post('/v1/pauses', admin, { scope: 'all', active: false }, once(name)),
  ],
  ['the session of a judgement', (name) => post('/v1/judgements', agent, { ...NOTE, thread: name })],
  ['a tool over MCP', (name) => overMcp({ ...asNote, name })],
  ['the session over MCP', (name) => overMcp({ ...asNote, _meta: { 'sluice/session': name } })],
  ['the idempotency key over MCP', (name) => overMcp({ ...asNote, _meta: { 'sluice/idempotency-key': name } })],
  ['the idempotency key of an MCP request', (name) => overMcp(asNote, once(name))],
  ['a key', (name) => post('/v1/keys', admin, { kind: 'agent', name })],
  ['the user of a key', (name) => post('/v1/keys', admin, { kind: 'agent', name: 'b', user: name })],
]

test.each(PLACES)('%s cannot be a key or an approval token', async (_, send) => {
  for (const name of [agent, token, `x.${token}`]) {
    const { text } = await send(name)
    expect([name, text]).toEqual([name, expect.stringMatching(/request\.invalid|tool\.unknown/)])
  }
  const stored = bytesBelow(gate.folder)
  expect([stored.includes(agent), stored.includes(token)]).toEqual([false, false])
})
