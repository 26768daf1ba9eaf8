import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { sendRaw, modern, rpc } from '../../../../test/helpers/send-raw.ts'
import { connectClient, type Era, type Transport } from '../../../../test/helpers/with-mcp-gate.ts'

const ASKING = resolve(import.meta.dirname, '../../../../test/tool-servers/asking.ts')
const named = (name: string) =>
  `"sluice/inputs" in args && args["sluice/inputs"].responses.who.content.name == "${name}"`
const RULES = [
  { id: 'mallory', effect: 'block', match: { tool: 'shop__order' }, when: named('Mallory'), says: 'not for Mallory' },
  { id: 'carla', effect: 'ask', match: { tool: 'shop__order' }, when: named('Carla'), says: 'Carla is asked for' },
  {
    id: 'letters',
    effect: 'block',
    match: { tool: 'shop__prompts/get' },
    when: '"inputResponses" in args && args.inputResponses.who.content.name == "Mallory"',
    says: 'no letters to Mallory',
  },
  { id: 'everything', effect: 'allow', match: { tool: '*' }, says: 'a gate that only looks' },
]

let gate: RunningGate & { stop(): Promise<void> }
let key: string

beforeAll(async () => {
  gate = await startGate((folder) => {
    const shop = { command: 'node', env: { EFFECTS: join(folder, 'effects.txt') } }
    const tools = { order: { effects: ['write'] } }
    const config = {
      listen: { port: 0 },
      mcp: { surface: 'passthrough' },
      policy: { rules: RULES },
      repetition: { most: 1_000, within_s: 1 },
      // The content of these prompts does not matter here.
      provenance: { mode: 'off' },
      servers: { shop: { ...shop, args: [ASKING], tools }, older: { ...shop, args: [ASKING, 'old'], tools } },
    }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  key = await gate.key('agent', 'buyer')
})
afterAll(() => gate.stop())

const file = () => join(gate.folder, 'effects.txt')
const done = () => (existsSync(file()) ? readFileSync(file(), 'utf8').trimEnd().split('\n') : [])
beforeEach(() => writeFileSync(file(), ''))

/** A client whose user answers every question with the last name that was set; without one there is no user. */
async function asPerson(
  way: Transport,
  era: Era,
  first: string | undefined,
  use: (client: Client, say: (name: string) => void) => Promise<void>,
): Promise<void> {
  const capabilities = first === undefined ? {} : { elicitation: {} }
  const client = await connectClient(gate, key, { way, era, surface: 'passthrough', options: { capabilities } })
  let name = first
  if (name !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      expect(params.message).toBe('A tool server asks, not the gate: Who is it for?')
      return { action: 'accept', content: { name: name ?? '' } }
    })
  try {
    await use(client, (said) => (name = said))
  } finally {
    await client.close()
  }
}
const order = (client: Client, item: string) => client.callTool({ name: 'shop__order', arguments: { item } })

test.each([
  ['http', 'old'],
  ['http', 'new'],
  ['stdio', 'old'],
  ['stdio', 'new'],
] as const)(
  'over %s a person at a client of the %s era is asked, and their answer reaches the tool only if the policy allows it',
  (way, era) =>
    asPerson(way, era, 'Ana', async (client, say) => {
      expect(await order(client, 'tea')).toMatchObject({ content: [{ text: 'ordered for Ana' }] })
      expect(done()).toEqual(['tea for Ana, a state of its own'])
      expect(await client.getPrompt({ name: 'shop__letter' })).toMatchObject({
        messages: [{ content: { text: 'Write to Ana' } }],
      })
      say('Mallory')
      expect(await order(client, 'gin')).toMatchObject({ isError: true, structuredContent: { code: 'call.blocked' } })
      await expect(client.getPrompt({ name: 'shop__letter' })).rejects.toThrow()
      expect(done()).toEqual(['tea for Ana, a state of its own'])
    }),
)

test.each(['old', 'new'] as const)('nobody is asked if their client, of the %s era, did not declare it', (era) =>
  asPerson('http', era, undefined, async (client) => {
    await expect(order(client, 'tea')).rejects.toThrow('capabilities')
  }),
)

describe('an answer', () => {
  test('is a part of what a person approves: the call is held and executed with it', async () => {
    const approver = await gate.key('approver', 'boss')
    await asPerson('http', 'old', 'Carla', async (client) => {
      const held = await order(client, 'wine')
      const { status, approval_id, call_id } = held.structuredContent as Record<string, string>
      expect(status).toBe('pending')
      const { body } = await gate.http('GET', `/v1/approvals/${approval_id}`, approver)
      expect(JSON.stringify(body)).toContain('Carla')
      expect(done()).toEqual([''])
      const approved = await gate.approve(approval_id, approver)
      expect(approved.status).toBe(200)
      const outcome = await client.callTool({ name: 'call_status', arguments: { call_id, wait_ms: 60_000 } })
      expect(outcome).toMatchObject({ content: [{ text: 'ordered for Carla' }] })
      expect(done()).toEqual(['wine for Carla, a state of its own'])
    })
  })

  test('with a secret in it is held for a person, like any argument of a writing tool', () =>
    asPerson('http', 'new', 'AKIAQ3EGRZ7XMPLE2TWN', async (client) => {
      expect(await order(client, 'tea')).toMatchObject({ structuredContent: { status: 'pending' } })
      expect(done()).toEqual([''])
    }))

  test('changes the hash of the call, and both rounds are recorded', async () => {
    const admin = await gate.key('admin', 'root')
    const hashes = async () => {
      const { body } = await gate.http('GET', '/v1/audit?limit=1000', admin)
      const items = body['items'] as { type: string; args_hash: string; subject: { tool?: string } }[]
      return items.filter(({ type, subject }) => type === 'call.started' && subject.tool === 'shop__order')
    }
    const before = (await hashes()).length
    await asPerson('http', 'new', 'Ben', (client) => order(client, 'milk').then(() => undefined))
    const [asked, answered, ...more] = (await hashes()).slice(before)
    expect(more).toEqual([])
    expect(answered?.args_hash).not.toBe(asked?.args_hash)
  })

  test('with an invalid shape is rejected, and so is an answer to a server that asks nothing', async () => {
    const call = (name: string, more: object) => modern('tools/call', { name, arguments: { item: 'tea' }, ...more })
    const shapeless = await sendRaw(gate, key, call('shop__order', { inputResponses: { who: 12 } }))
    expect(shapeless.body.error).toMatchObject({ code: -32602, data: { code: 'mcp.params_invalid' } })
    const inputResponses = { who: { action: 'accept', content: { name: 'Ana' } } }
    const older = await sendRaw(gate, key, call('older__order', { inputResponses }))
    expect(older.text).toContain('tool.unavailable')
    expect(done()).toEqual([''])
  })
})

test('a tool server cannot send a person to a page', async () => {
  const page = modern('tools/call', { name: 'shop__page' }, { elicitation: { form: {}, url: {} } })
  const { text } = await sendRaw(gate, key, page)
  expect(text).not.toContain('pay.example')
})

test('an answer can be given by hand, among the arguments', async () => {
  const responses = { who: { action: 'accept', content: { name: 'Dora' } } }
  const args = { item: 'jam', 'sluice/inputs': { responses, state: 'a state of its own' } }
  const { body } = await sendRaw(gate, key, { body: rpc('tools/call', { name: 'shop__order', arguments: args }) })
  expect(body['result']).toMatchObject({ content: [{ text: 'ordered for Dora' }] })
})
