import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listenTo, rpc, sendRaw } from '../../../../../test/helpers/send-raw.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../../../../test/helpers/with-redis.ts'

const WAYS = [...(hasRedis ? ['with Redis'] : []), 'without Redis'] as const
const LONG = { timeout: 60_000, interval: 20 }
const server = (name: string) => resolve(import.meta.dirname, `../../../../../test/tool-servers/${name}.ts`)
const reads = (...tools: string[]) => Object.fromEntries(tools.map((tool) => [tool, { effects: ['read'] }]))

/** By `npm run test:cluster`: one client of the older era, whose requests a balancer sends to any node. */
describe.skipIf(!hasPostgres || !isWhole).each(WAYS)('MCP on several nodes, %s', (way) => {
  let redis: TestRedis | undefined
  let nodes: Nodes
  let [one, two]: Node[] = []
  let [agent, other] = ['', '']
  const first = (): Node => one as Node
  const second = (): Node => two as Node
  const seen = () => (existsSync(nodes.effects) ? readFileSync(nodes.effects, 'utf8').split('\n') : [])

  beforeAll(async () => {
    redis = way === 'with Redis' ? await startRedis() : undefined
    nodes = await openNodes({}, redis?.url, (effects) => ({
      lively: {
        command: 'node',
        args: [server('lively')],
        env: { EFFECTS: effects },
        tools: reads('look', 'steps', 'stay', 'release'),
      },
      shop: { command: 'node', args: [server('asking')], env: { EFFECTS: effects }, tools: reads('order') },
    }))
    one = await nodes.start()
    two = await nodes.start()
    agent = await first().key('agent', 'a', 'ana')
    other = await first().key('agent', 'b', 'bo')
  }, 180_000)
  afterAll(async () => {
    await nodes.stop()
    await redis?.stop()
  })

  const sessionOn = async (node: Node, key = agent): Promise<Record<string, string>> => {
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 't', version: '1' },
    }
    const { headers } = await sendRaw(node, key, { body: rpc('initialize', hello) })
    return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
  }
  const call = (name: string, args: object, id: number | string = 1, _meta = {}) =>
    rpc('tools/call', { name, arguments: args, _meta }, id)
  /** A call that runs until `release`, whose stream the client has lost. Returns the id of the last event. */
  const lostStream = async (node: Node, session: Record<string, string>, text: string, id: number | string = 1) => {
    const lost = listenTo(node, agent, { method: 'POST', headers: session, body: call('lively__stay', { text }, id) })
    await vi.waitFor(() => expect(lost.ids.length).toBe(1), LONG)
    await vi.waitFor(() => expect(seen()).toContain(`stay {"text":"${text}"}`), LONG)
    lost.close()
    return lost.ids[0] ?? ''
  }

  test('a stream that was lost at one node continues at another, only for its requester', async () => {
    const session = await sessionOn(first())
    const last = await lostStream(first(), session, 'across', 'request "7"')
    const resumed = listenTo(second(), agent, { headers: { ...session, 'last-event-id': last } })
    expect(await resumed.opened).toBe(200)
    // Neither another caller, nor the same caller in another session.
    for (const [key, headers] of [
      [other, await sessionOn(second(), other)],
      [agent, await sessionOn(second())],
    ] as const) {
      const stolen = await sendRaw(second(), key, { method: 'GET', headers: { ...headers, 'last-event-id': last } })
      expect([stolen.status, stolen.body.error?.data.code]).toEqual([400, 'mcp.event_unknown'])
    }
    await sendRaw(first(), agent, { body: call('lively__release', {}) })
    await vi.waitFor(() => expect(resumed.isOver()).toBe(true), LONG)
    expect(resumed.messages).toMatchObject([{ id: 'request "7"', result: { content: [{ text: 'released' }] } }])
    // Again, after its end, from the start and from the last event.
    const again = await sendRaw(second(), agent, { method: 'GET', headers: { ...session, 'last-event-id': last } })
    expect(again.text).toContain('released')
    const after = { ...session, 'last-event-id': resumed.ids.at(-1) ?? '' }
    expect((await sendRaw(second(), agent, { method: 'GET', headers: after })).text).not.toContain('released')
  }, 120_000)

  test('a tool`s messages before the answer arrive in order, each once', async () => {
    const session = await sessionOn(first())
    const body = call('lively__steps', { count: 60 }, 1, { progressToken: 'p' })
    const lost = listenTo(first(), agent, { method: 'POST', headers: session, body })
    await vi.waitFor(() => expect(lost.ids.length).toBeGreaterThan(0), LONG)
    lost.close()
    const headers = { ...session, 'last-event-id': lost.ids[0] ?? '' }
    const resumed = listenTo(second(), agent, { headers })
    await vi.waitFor(() => expect(resumed.isOver()).toBe(true), LONG)
    const numbers = resumed.ids.map((id) => Number(id.split('.').at(-1)))
    expect(numbers).toEqual(Array.from({ length: 61 }, (_, index) => index + 1))
    expect(resumed.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'steps done' }] } })
  }, 120_000)

  test('a request that is cancelled at another node is cancelled at its tool server', async () => {
    const session = await sessionOn(first())
    await lostStream(first(), session, 'give up', 41)
    const params = { requestId: 41, reason: 'enough' }
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params }
    // Somebody else's session cancels nothing.
    await sendRaw(second(), other, { headers: await sessionOn(second(), other), body: cancel })
    expect((await sendRaw(second(), agent, { headers: session, body: cancel })).status).toBe(202)
    await vi.waitFor(() => expect(seen()).toContain('cancelled stay give up'), LONG)
    expect(seen().filter((line) => line.startsWith('cancelled'))).toHaveLength(1)
  }, 120_000)

  test('a question of one node is answered at another', async () => {
    const session = await sessionOn(first())
    const body = call('shop__order', { item: 'tea' })
    const asked = listenTo(first(), agent, { method: 'POST', headers: session, body })
    await vi.waitFor(() => expect(asked.messages.map(({ method }) => method)).toContain('elicitation/create'), LONG)
    const question = asked.messages.find(({ method }) => method === 'elicitation/create')
    const result = { action: 'accept', content: { name: 'Ana' } }
    const reply = { jsonrpc: '2.0', id: question?.['id'], result }
    // A stranger's answer to the same question does not count.
    const wrong = { ...reply, result: { action: 'accept', content: { name: 'Mallory' } } }
    await sendRaw(second(), other, { headers: await sessionOn(second(), other), body: wrong })
    expect((await sendRaw(second(), agent, { headers: session, body: reply })).status).toBe(202)
    await vi.waitFor(() => expect(asked.isOver()).toBe(true), LONG)
    expect(JSON.stringify(asked.messages.at(-1))).toContain('ordered for Ana')
  }, 120_000)

  test('a session that is ended at one node is ended at all of them, including one that starts later', async () => {
    const session = await sessionOn(first())
    const list = { headers: session, body: rpc('tools/list') }
    const standing = listenTo(second(), agent, { headers: session })
    expect(await standing.opened).toBe(200)
    expect((await sendRaw(second(), agent, list)).status).toBe(200)
    expect((await sendRaw(first(), agent, { method: 'DELETE', headers: session })).status).toBe(200)
    await vi.waitFor(() => expect(standing.isOver()).toBe(true), LONG)
    const third = await nodes.start()
    for (const node of [first(), second(), third]) {
      const refused = await sendRaw(node, agent, list)
      expect([refused.status, refused.body.error?.data.code]).toEqual([404, 'mcp.session_unknown'])
    }
    await third.stop()
  }, 120_000)

  test('a request of a killed node is answered by another node: with its result, or as interrupted', async () => {
    const third = await nodes.start()
    const session = await sessionOn(third)
    const done = await lostStream(third, session, 'done before', 'done')
    await sendRaw(third, agent, { body: call('lively__release', {}) })
    const { headers } = { headers: { ...session, 'last-event-id': done } }
    expect((await sendRaw(third, agent, { method: 'GET', headers })).text).toContain('released')
    const cut = await lostStream(third, session, 'cut off', 'cut')
    third.process.kill('SIGKILL')
    const known = await sendRaw(second(), agent, { method: 'GET', headers })
    expect(known.text).toContain('"id":"done","result":{"content":[{"type":"text","text":"released"}]')
    const resumed = listenTo(second(), agent, { headers: { ...session, 'last-event-id': cut } })
    await vi.waitFor(() => expect(resumed.isOver()).toBe(true), LONG)
    expect(resumed.messages).toMatchObject([{ id: 'cut' }])
    expect(JSON.stringify(resumed.messages)).toContain('call.read_interrupted')
    expect(seen().filter((line) => line.includes('cut off'))).toEqual(['stay {"text":"cut off"}'])
    const stolen = { ...(await sessionOn(second(), other)), 'last-event-id': done }
    expect((await sendRaw(second(), other, { method: 'GET', headers: stolen })).status).toBe(400)
  }, 120_000)
})
