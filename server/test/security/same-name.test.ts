import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { sendRaw, listenTo, modern, rpc } from '../helpers/send-raw.ts'

/** Two keys with one name and different users: for everything that the gate stores per caller they are two callers. */
type Pair = { readonly ana: string; readonly bob: string }
const KINDS = ['agent', 'user', 'reviewer', 'node'] as const
type Kind = (typeof KINDS)[number]

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
const pairs = new Map<Kind, Pair>()
const of = (kind: Kind): Pair => {
  const pair = pairs.get(kind)
  if (pair === undefined) throw new Error(`no keys of kind ${kind}`)
  return pair
}
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

beforeAll(async () => {
  gate = await startGate()
  admin = await gate.key('admin', 'root', 'root')
  const key = async (kind: Kind, user: string) =>
    String((await gate.http('POST', '/v1/keys', admin, { kind, name: 'claude', user })).body['key'])
  for (const kind of KINDS) pairs.set(kind, { ana: await key(kind, 'ana'), bob: await key(kind, 'bob') })
})
afterAll(() => gate.stop())

const call = async (key: string, body: object, idempotency?: string) => {
  const headers = idempotency === undefined ? {} : { 'idempotency-key': idempotency }
  return (await sendRaw(gate, key, { path: '/v1/calls', headers, body })).body as Record<string, string>
}
const note = (text: string) => ({ tool: 'book__note', args: { text } })

describe.each(KINDS)('of two `%s` keys with one name, the other user`s key', (kind) => {
  test('finds no call, artifact or approval of the first', async () => {
    const { ana, bob } = of(kind)
    const held = await call(ana, note(`seen by ${kind}`))
    const big = (await call(ana, { tool: 'book__big', args: { size: 200_000 } })) as { output?: { pointer?: string } }
    const digest = /[0-9a-f]{64}/.exec(big.output?.pointer ?? '')?.[0]
    const isPerson = kind === 'user'
    const places = [
      `/v1/calls/${held['call_id']}`,
      `/v1/artifacts/${digest}?length=10`,
      ...(isPerson ? [`/v1/approvals/${held['approval_id']}`] : []),
    ]
    for (const place of places) {
      expect([place, (await gate.http('GET', place, ana)).status]).toEqual([place, expect.toSatisfy((s) => s < 300)])
      expect([place, (await gate.http('GET', place, bob)).status]).toEqual([place, 404])
    }
    if (kind !== 'node')
      expect(await gate.http('POST', `/v1/calls/${held['call_id']}/withdraw`, bob)).toMatchObject({ status: 404 })
    if (isPerson) {
      expect(await gate.http('POST', `/v1/approvals/${held['approval_id']}/token`, bob)).toMatchObject({ status: 404 })
      const listed = await gate.http('GET', '/v1/approvals', bob)
      expect(JSON.stringify(listed.body)).not.toContain(held['approval_id'])
    }
    const asked = await sendRaw(
      gate,
      bob,
      modern('tools/call', { name: 'call_status', arguments: { call_id: held['call_id'] } }),
    )
    expect(asked.text).not.toContain('"pending"')
  })

  test('makes a separate call under the same idempotency key', async () => {
    const { ana, bob } = of(kind)
    const first = await call(ana, note(`keyed by ${kind}`), `key-${kind}`)
    const again = await call(ana, note(`keyed by ${kind}`), `key-${kind}`)
    const other = await call(bob, note(`keyed by ${kind}`), `key-${kind}`)
    expect(again['call_id']).toBe(first['call_id'])
    expect(other['call_id']).toMatch(/^call_/)
    expect(other['call_id']).not.toBe(first['call_id'])
    // Using different arguments under somebody else's key is not an error either.
    await call(ana, note(`one of ${kind}`), `other-${kind}`)
    expect(await call(bob, note(`two of ${kind}`), `other-${kind}`)).toMatchObject({ status: 'pending' })
  })

  test('cannot send messages in the session of the first, nor receive its streams', async () => {
    const { ana, bob } = of(kind)
    const begun = await sendRaw(gate, ana, {
      body: rpc('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      }),
    })
    const session = String(begun.headers['mcp-session-id'])
    const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    expect((await sendRaw(gate, ana, { headers, body: rpc('ping') })).status).toBe(200)
    expect(await sendRaw(gate, bob, { headers, body: rpc('ping') })).toMatchObject({
      status: 404,
      body: { error: { data: { code: 'mcp.session_unknown' } } },
    })
    expect((await sendRaw(gate, bob, { method: 'DELETE', headers })).status).toBe(404)
    const stream = listenTo(gate, bob, { headers })
    expect(await stream.opened).toBe(404)
    stream.close()
  })

  test('neither reads, lists nor cancels a task of the first', async () => {
    const { ana, bob } = of(kind)
    const made = await sendRaw(
      gate,
      ana,
      modern('tools/call', { name: 'book__note', arguments: { text: `task of ${kind}` } }, TASKS),
    )
    const taskId = (made.body['result'] as { taskId?: string } | undefined)?.taskId
    expect(taskId).toMatch(/^call_/)
    expect((await sendRaw(gate, ana, modern('tasks/get', { taskId }, TASKS))).body['result']).toMatchObject({ taskId })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
      expect((await sendRaw(gate, bob, modern(method, { taskId }, TASKS))).body).toMatchObject({
        error: { data: { code: 'task.unknown' } },
      })
    const listed = await sendRaw(gate, bob, {
      headers: { 'mcp-protocol-version': '2025-11-25' },
      body: rpc('tasks/list'),
    })
    expect(listed.text).not.toContain(taskId)
    expect((await sendRaw(gate, ana, modern('tasks/get', { taskId }, TASKS))).text).not.toContain('cancelled')
  })

  test('gets no events about the calls of the first one', async () => {
    const { ana, bob } = of(kind)
    const hears = (key: string) => ({
      stream: listenTo(gate, key, { path: '/v1/stream?kinds=call' }),
      standing: listenTo(gate, key, { headers: { 'mcp-protocol-version': '2025-11-25' } }),
    })
    const [own, other] = [hears(ana), hears(bob)]
    for (const { stream, standing } of [own, other]) await Promise.all([stream.opened, standing.opened])
    const held = await call(ana, note(`news of ${kind}`))
    await gate.http('POST', `/v1/approvals/${held['approval_id']}/decide`, admin, { decision: 'deny' })
    const received = ({ stream, standing }: typeof own) => JSON.stringify([stream.messages, standing.messages])
    await expect.poll(() => own.standing.messages.length).toBeGreaterThan(0)
    await expect.poll(() => received(own)).toContain(held['call_id'])
    expect(received(other)).not.toContain(held['call_id'])
    for (const { stream, standing } of [own, other]) {
      stream.close()
      standing.close()
    }
  })

  test('is not affected by the first person`s denial', async () => {
    const { ana, bob } = of(kind)
    const held = await call(ana, note(`denied to ${kind}`))
    await gate.http('POST', `/v1/approvals/${held['approval_id']}/decide`, admin, { decision: 'deny' })
    expect(await call(ana, note(`denied to ${kind}`))).toMatchObject({ code: 'call.blocked' })
    expect(await call(bob, note(`denied to ${kind}`))).toMatchObject({ status: 'pending' })
  })
})

test('a consent that was remembered for one user`s agent does not cover the other user`s agent of that name', async () => {
  const { ana, bob } = of('agent')
  const held = await call(ana, note('remembered'))
  const { digest } = (await gate.http('GET', `/v1/approvals/${held['approval_id']}`, admin)).body
  await gate.http('POST', `/v1/approvals/${held['approval_id']}/decide`, admin, {
    decision: 'approve',
    digest,
    remember: { calls: 5, expires_in_s: 600 },
  })
  expect(await call(ana, note('remembered'))).toMatchObject({ status: 'executed' })
  expect(await call(bob, note('remembered'))).toMatchObject({ status: 'pending' })
})

test('every POST is answered separately for each of them', async () => {
  const approver = async (user: string) =>
    String((await gate.http('POST', '/v1/keys', admin, { kind: 'approver', name: 'judge', user })).body['key'])
  const [ana, bob] = [await approver('ana'), await approver('bob')]
  const consent = (key: string) =>
    sendRaw(gate, key, {
      path: '/v1/consents',
      headers: { 'idempotency-key': 'once' },
      body: {
        actor: 'caller:agent:nobody',
        what: { tool: 'book__note', args: [{ path: '/text', op: 'any' }] },
        calls: 1,
        expires_in_s: 60,
      },
    })
  const first = await consent(ana)
  expect(first.status).toBe(201)
  expect((await consent(ana)).headers['idempotency-replayed']).toBe('true')
  const other = await consent(bob)
  expect(other.headers['idempotency-replayed']).toBeUndefined()
  expect(other.body['consent_id']).not.toBe(first.body['consent_id'])
})
