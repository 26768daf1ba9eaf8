import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CSRF_HEADER } from '../../src/kernel/identity/login.ts'
import { cookieName } from '../../src/adapters/http/login-cookie.ts'
import { bundleOf } from '../../src/guests/flows/test/flow-samples.suite.ts'
import { listenTo } from '../ops/listen-to.ts'
import { isWhole } from '../helpers/postgres-stores.ts'
import { openNodes, type Node, type Nodes } from '../helpers/with-nodes.ts'
import { hasPostgres } from '../helpers/with-postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../helpers/with-redis.ts'

const WAYS = [...(hasRedis ? ['with Redis'] : []), 'without Redis'] as const
const PER_ADDRESS = 6
const LONG = { timeout: 60_000, interval: 20 }

/** By `npm run test:cluster`: the in-memory state listed in ARCHITECTURE.md, as other nodes see it. */
describe.skipIf(!hasPostgres || !isWhole).each(WAYS)('three nodes on one Postgres, %s', (way) => {
  let redis: TestRedis | undefined
  let nodes: Nodes
  let all: readonly Node[] = []
  let [admin, agent, approver] = ['', '', '']
  const nodeAt = (index: number): Node => {
    const node = all[index % all.length]
    if (node === undefined) throw new Error('no such node')
    return node
  }
  const call = (node: Node, tool: string, args: object) =>
    node.http('POST', '/v1/calls', agent, { tool: `book__${tool}`, args })

  beforeAll(async () => {
    redis = way === 'with Redis' ? await startRedis() : undefined
    const failures = { per_address: PER_ADDRESS, overall: 1_000, window_s: 600 }
    nodes = await openNodes({ auth: { failures } }, redis?.url)
    const first = await nodes.start()
    all = [first, ...(await Promise.all([nodes.start(), nodes.start()]))]
    ;[admin, agent, approver] = [
      await first.key('admin', 'root'),
      await first.key('agent', 'a', 'ana'),
      await first.key('approver', 'bob'),
    ]
    // Each key was valid once on each node, so further requests with it are not counted there.
    for (const node of all) for (const key of [admin, agent, approver]) await node.http('GET', '/v1/tools', key)
  }, 180_000)
  afterAll(async () => {
    await nodes.stop()
    await redis?.stop()
  })

  test('a stream that is resumed on another node resumes where it stopped, and includes changes on the third', async () => {
    const first = await listenTo(`${nodeAt(0).url}/v1/stream?kinds=call`, admin)
    await first.next('hello')
    await call(nodeAt(1), 'look', {})
    await first.next('call')
    const { id } = await first.next('call')
    first.close()
    const { body } = await call(nodeAt(2), 'look', {})
    const again = await listenTo(`${nodeAt(1).url}/v1/stream?kinds=call`, admin, id)
    await vi.waitFor(() => {
      const calls = again.events.filter(({ event }) => event === 'call')
      expect(
        calls.map(({ data }) => [data['call_id'], data['state']]),
        JSON.stringify([id, again.events]),
      ).toEqual([
        [body['call_id'], 'executing'],
        [body['call_id'], 'executed'],
      ])
    }, LONG)
    expect(again.events.map(({ event }) => event)).not.toContain('reset')
    again.close()
  }, 120_000)

  test('a procedure that is imported on one node is reported on the others, to those who may read it', async () => {
    const [allowed, other] = await Promise.all([
      listenTo(`${nodeAt(1).url}/v1/stream?kinds=flow,call`, admin),
      listenTo(`${nodeAt(2).url}/v1/stream?kinds=flow,call`, agent),
    ])
    await Promise.all([allowed.next('hello'), other.next('hello')])
    const bundle = bundleOf(`flow_news_${way === 'with Redis' ? 'a' : 'b'}`, [{}], { scope: 'org' })
    const imported = await nodeAt(0).http('POST', '/api/v1/flows/import', admin, bundle)
    expect(imported.status, JSON.stringify(imported.body)).toBe(201)
    expect((await allowed.next('flow')).data).toMatchObject({ about: 'procedure', version: 1 })
    // A node reports its changes in order, so a listener that received the call has received everything before it.
    await call(nodeAt(0), 'look', {})
    await other.next('call')
    expect(other.events.map(({ event }) => event)).not.toContain('flow')
    allowed.close()
    other.close()
  }, 120_000)

  test('a login at one node is valid on the others, and a logout ends it everywhere', async () => {
    const answer = await fetch(`${nodeAt(0).url}/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: approver }),
    })
    expect(answer.status, await answer.clone().text()).toBeLessThan(300)
    const secret = answer.headers.getSetCookie()[0]?.split(';')[0]?.split('=')[1] ?? ''
    // Behind a balancer all nodes have one name; here each has a port, which is in the name of the cookie.
    const cookieFor = (node: Node) => `${cookieName(new URL(node.url).host)}=${secret}`
    const ask = (node: Node) => fetch(`${node.url}/v1/approvals`, { headers: { cookie: cookieFor(node) } })
    for (const node of all) expect((await ask(node)).status).toBe(200)
    const { csrf } = (await answer.json()) as { readonly csrf: string }
    const out = await fetch(`${nodeAt(1).url}/v1/login`, {
      method: 'DELETE',
      headers: { cookie: cookieFor(nodeAt(1)), [CSRF_HEADER]: csrf, origin: nodeAt(1).url },
    })
    expect(out.status, await out.text()).toBeLessThan(300)
    for (const node of all) expect((await ask(node)).status).toBe(401)
  })

  test('a session of the older MCP era that began on one node continues on another', async () => {
    const send = async (node: Node, method: string, params: object, session?: string) =>
      fetch(`${node.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${agent}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const session = (await send(nodeAt(0), 'initialize', hello)).headers.get('mcp-session-id') ?? ''
    expect(session).not.toBe('')
    for (const node of [nodeAt(1), nodeAt(2)]) {
      const answer = await send(node, 'tools/call', { name: 'book__look', arguments: {} }, session)
      expect(await answer.text()).toContain('nothing to see')
    }
  })

  test('a policy that came into force on one node is in force on the others', async () => {
    const rules = [{ id: 'no-looking', effect: 'block', match: { tool: 'book__look' }, says: 'nobody looks' }]
    for (const node of all) {
      const file = join(node.folder, 'sluice.yaml')
      const config = JSON.parse(readFileSync(file, 'utf8')) as object
      writeFileSync(file, JSON.stringify({ ...config, policy: { rules } }))
    }
    expect(await nodeAt(0).cli('policy', 'reload')).toMatchObject({ code: 0 })
    await vi.waitFor(async () => {
      for (const node of all) expect((await call(node, 'look', {})).body['code']).toBe('call.blocked')
    }, LONG)
  })

  test('an output that was too large is read from another node', async () => {
    const { body } = await call(nodeAt(0), 'big', { size: 400_000 })
    const digest = /[0-9a-f]{64}/.exec(JSON.stringify(body))?.[0] ?? ''
    expect(digest, JSON.stringify(body).slice(0, 500)).not.toBe('')
    const read = await nodeAt(2).http('GET', `/v1/artifacts/${digest}`, agent)
    expect(read.status).toBe(200)
  })

  test('wrong keys that are tried on all nodes at once are counted together, exactly', async () => {
    const guess = (index: number) => nodeAt(index).http('GET', '/v1/tools', `sluice_agent_wrong${index}`)
    const answers = await Promise.all(Array.from({ length: 45 }, (_, index) => guess(index)))
    const counted = answers.map(({ status }) => status)
    expect(counted.filter((status) => status === 401)).toHaveLength(PER_ADDRESS)
    expect(counted.filter((status) => status === 429)).toHaveLength(45 - PER_ADDRESS)
    // Valid keys still work, also one that no node has seen yet.
    const unseen = await nodeAt(0).key('approver', 'unseen')
    expect((await nodeAt(1).http('GET', '/v1/approvals', unseen)).status).toBe(200)
    for (const node of all) expect((await node.http('GET', '/v1/tools', agent)).status).toBe(200)
  })

  test('the audit of all nodes verifies', async () => {
    const { out } = await nodeAt(1).cli('--json', 'audit', 'verify')
    expect(JSON.parse(out), out).toMatchObject({ ok: true })
  })
})
