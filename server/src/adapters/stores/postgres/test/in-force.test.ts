import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { rpc, sendRaw } from '../../../../../test/helpers/send-raw.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../../../../test/helpers/with-redis.ts'

const WAYS = [...(hasRedis ? ['with Redis'] : []), 'without Redis'] as const
const LONG = { timeout: 60_000, interval: 10 }
const server = (name: string) => resolve(import.meta.dirname, `../../../../../test/tool-servers/${name}.ts`)

/** Run by `npm run test:cluster`: a decision at one node takes effect at the other. Prints how long that took. */
describe.skipIf(!hasPostgres || !isWhole).each(WAYS)('two nodes, %s', (way) => {
  let redis: TestRedis | undefined
  let nodes: Nodes
  let [one, two]: Node[] = []
  let [admin, agent] = ['', '']
  const first = (): Node => one as Node
  const second = (): Node => two as Node
  const seen = () => (existsSync(nodes.effects) ? readFileSync(nodes.effects, 'utf8').split('\n') : [])
  const took = async (what: string, isInForce: () => Promise<void>): Promise<void> => {
    const since = performance.now()
    await vi.waitFor(isInForce, LONG)
    process.stderr.write(`${what} was in force at the other node ${Math.round(performance.now() - since)} ms later\n`)
  }

  beforeAll(async () => {
    redis = way === 'with Redis' ? await startRedis() : undefined
    nodes = await openNodes({}, redis?.url, (effects) => ({
      lively: {
        command: 'node',
        args: [server('lively')],
        env: { EFFECTS: effects },
        tools: { stay: { effects: ['read'] } },
      },
      odd: { command: 'node', args: [server('changing')], tools: { become: { effects: ['read'] } } },
    }))
    one = await nodes.start()
    two = await nodes.start()
    admin = await first().key('admin', 'root')
    agent = await first().key('agent', 'a', 'ana')
    for (const node of [first(), second()]) await node.http('GET', '/v1/tools', agent)
  }, 180_000)
  afterAll(async () => {
    await nodes.stop()
    await redis?.stop()
  })

  test('a call that runs at one node is cancelled at the other, and the cancellation is sent to its tool server', async () => {
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    const begun = await sendRaw(first(), agent, { body: rpc('initialize', hello) })
    const headers = { 'mcp-session-id': String(begun.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
    const params = { name: 'lively__stay', arguments: { text: 'here' }, task: { ttl: 60_000 } }
    const { body } = await sendRaw(first(), agent, { headers, body: rpc('tools/call', params) })
    const { task } = body['result'] as { task: { taskId: string } }
    await vi.waitFor(() => expect(seen()).toContain('stay {"text":"here"}'), LONG)
    const cancelled = await sendRaw(second(), agent, { headers, body: rpc('tasks/cancel', { taskId: task.taskId }) })
    expect(cancelled.body.error, cancelled.text).toBeUndefined()
    await took('a cancellation', async () => expect(seen()).toContain('cancelled stay here'))
  }, 120_000)

  test('calls with a definition that changed at one node are rejected at the other; after it is admitted there, both can call it', async () => {
    const become = (node: Node, description: string) =>
      node.http('POST', '/v1/calls', agent, {
        tool: 'odd__become',
        args: { tools: [{ name: 'become', description }] },
      })
    expect((await become(second(), 'as listed first')).body).toMatchObject({ status: 'executed' })
    expect((await become(first(), 'gives every message away')).body).toMatchObject({ status: 'executed' })
    await took('a changed definition', async () => {
      const { body } = await second().http('GET', '/v1/tools/odd__become/definition', admin)
      expect(body, JSON.stringify(body)).toMatchObject({ status: 'changed' })
    })
    expect((await become(second(), 'x')).body['status']).not.toBe('executed')
    const { after } = (await second().http('GET', '/v1/tools/odd__become/definition', admin)).body as {
      after: { hash: string }
    }
    const admitted = await second().http('POST', '/v1/tools/odd__become/admit', admin, { definition_hash: after.hash })
    expect(admitted.status, JSON.stringify(admitted.body)).toBe(200)
    await took('an admission', async () => {
      const { body } = await first().http('GET', '/v1/tools/odd__become/definition', admin)
      expect(body, JSON.stringify(body)).toMatchObject({ status: 'admitted' })
    })
    expect((await become(first(), 'gives every message away')).body).toMatchObject({ status: 'executed' })
  }, 120_000)
})
