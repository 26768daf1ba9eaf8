import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../../test/helpers/with-gate.ts'
import { sendRaw, listenTo, modern, rpc } from '../../../../test/helpers/send-raw.ts'
import { REFUSALS, typed } from './refusals.suite.ts'
import { waitForLine, startMcpGate, type McpGate } from '../../../../test/helpers/with-mcp-gate.ts'

let gate: McpGate
let agent = ''
let other = ''
let approver = ''
beforeAll(async () => {
  const oidc = {
    name: 'corp',
    issuer: 'https://login.example.com',
    audience: 'sluice',
    kinds: [{ claim: 'role', has: 'agent', kind: 'agent' }],
  }
  gate = await startMcpGate({ mcp: { surface: 'passthrough' }, auth: { oidc: [oidc] } })
  agent = await gate.key('agent', 'a', 'ana')
  other = await gate.key('agent', 'b', 'bo')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

const list = rpc('tools/list')
const call = (name: string, args: object = {}) => rpc('tools/call', { name, arguments: args })

async function sessionOf(key: string): Promise<string> {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const { headers } = await sendRaw(gate, key, { body: rpc('initialize', hello) })
  return String(headers['mcp-session-id'])
}

describe('what is refused', () => {
  test.each(REFUSALS)('%s', async (_, knocked, status, code, number) => {
    const answer = await sendRaw(gate, agent, knocked)
    expect({ status: answer.status, code: answer.body.error?.data.code ?? answer.body['code'] }).toEqual({
      status,
      code,
    })
    expect(answer.body.error?.code).toBe(number)
  })

  test('an argument that a header repeats is accepted', async () => {
    const { body } = await sendRaw(gate, agent, typed('=?base64?YQ==?='))
    expect(JSON.stringify(body)).toContain('held for approval')
  })

  test('without a key, and a client learns where tokens for this address are issued', async () => {
    const { status, headers, body } = await sendRaw(gate, undefined, { body: list })
    expect({ status, code: body['code'] }).toEqual({ status: 401, code: 'auth.missing' })
    const place = /resource_metadata="([^"]+)"/.exec(headers['www-authenticate'] ?? '')?.[1] ?? ''
    expect(place).toBe(`${gate.url}/.well-known/oauth-protected-resource/mcp`)
    for (const path of [new URL(place).pathname, '/.well-known/oauth-protected-resource'])
      expect((await sendRaw(gate, undefined, { method: 'GET', path })).body).toMatchObject({
        resource: `${gate.url}/mcp`,
        authorization_servers: ['https://login.example.com'],
      })
  })
})

describe('requests that share a connection', () => {
  /** Whatever is remembered of a connection, each request counts by its own credential, as that is now. */
  async function onOneConnection(use: (send: (key: string, body?: object) => Promise<number>) => Promise<void>) {
    const connection = new Agent({ keepAlive: true, maxSockets: 1 })
    const ports = new Set<number | undefined>()
    connection.on('free', (socket: Socket) => ports.add(socket.localPort))
    try {
      await use(async (key, body = list) => (await sendRaw(gate, key, { body, agent: connection })).status)
      expect(ports.size).toBe(1)
    } finally {
      connection.destroy()
    }
  }

  test('a revoked key is rejected immediately on a connection where it was just valid', async () => {
    const admin = await gate.key('admin', 'revoker')
    const made = await gate.http('POST', '/v1/keys', admin, { kind: 'agent', name: 'short', user: 'ana' })
    const { key, key_id } = made.body as { key: string; key_id: string }
    await onOneConnection(async (send) => {
      for (let nth = 0; nth < 3; nth += 1) expect(await send(key, call('lively__look'))).toBe(200)
      expect(await gate.http('DELETE', `/v1/keys/${key_id}`, admin)).toMatchObject({ status: 200 })
      expect([await send(key, call('lively__look')), await send(key)]).toEqual([401, 401])
      expect(await send(agent)).toBe(200)
    })
  })

  test('another credential on it is another caller, and a wrong one is rejected', async () => {
    const session = { 'mcp-session-id': await sessionOf(agent) }
    const connection = new Agent({ keepAlive: true, maxSockets: 1 })
    const status = async (key: string) =>
      (await sendRaw(gate, key, { body: call('lively__look'), headers: session, agent: connection })).status
    const statuses = [agent, agent, other, agent, `${agent.slice(0, -1)}x`, agent].map((key) => () => status(key))
    const seen: number[] = []
    for (const send of statuses) seen.push(await send())
    connection.destroy()
    expect(seen).toEqual([200, 200, 404, 200, 401, 200])
  })
})

describe('sessions', () => {
  test('a session is valid for its caller only, until it is ended', async () => {
    const session = { 'mcp-session-id': await sessionOf(agent) }
    expect(await sendRaw(gate, agent, { headers: session, body: list })).toMatchObject({ status: 200 })
    expect(await sendRaw(gate, other, { headers: session, body: list })).toMatchObject({ status: 404 })
    expect(await sendRaw(gate, agent, { method: 'DELETE', headers: session })).toMatchObject({ status: 200 })
    expect(await sendRaw(gate, agent, { headers: session, body: list })).toMatchObject({ status: 404 })
  })

  test('calls of one session are one thread, an id in _meta names one, and calls without either belong to the caller`s default thread', async () => {
    const session = await sessionOf(agent)
    await sendRaw(gate, agent, { headers: { 'mcp-session-id': session }, body: call('lively__look') })
    const meta = { name: 'lively__look', arguments: {}, _meta: { 'sluice/session': 'mine' } }
    await sendRaw(gate, agent, { body: rpc('tools/call', meta) })
    await sendRaw(gate, agent, { body: call('lively__look') })
    await sendRaw(gate, agent, { body: call('lively__look') })
    const { body } = await gate.http('GET', '/v1/audit?from=1&limit=200', await gate.key('admin', 'root'))
    const started = (body['items'] as { type: string; subject: Record<string, string> }[]).filter(
      ({ type, subject }) => type === 'call.started' && subject['tool'] === 'lively__look',
    )
    const [first, second, third, fourth] = started.slice(-4).map(({ subject }) => subject['thread'])
    expect([first, second]).toEqual([`mcp:${session}`, 'mine'])
    expect(third).toMatch(/^idle:/)
    expect(fourth).toBe(third)
  })

  test('notifications get no answer, and neither do unrequested answers', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect(await sendRaw(gate, agent, { body: notification })).toMatchObject({ status: 202, text: '' })
    expect(await sendRaw(gate, agent, { body: { jsonrpc: '2.0', id: 1, result: {} } })).toMatchObject({ status: 202 })
  })
})

describe('cancelled requests', () => {
  test('disconnecting cancels a request since 2026-07-28', async () => {
    const stay = listenTo(gate, agent, {
      method: 'POST',
      ...modern('tools/call', { name: 'lively__stay', arguments: { text: 'gone' } }),
    })
    await waitForLine(gate, 'stay {"text":"gone"}')
    stay.close()
    await waitForLine(gate, 'cancelled stay gone')
  })

  test('disconnecting does not cancel a request before 2026-07-28, and no other client can cancel it', async () => {
    const stay = listenTo(gate, agent, { method: 'POST', body: call('lively__stay', { text: 'kept' }) })
    await waitForLine(gate, 'stay {"text":"kept"}')
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await sendRaw(gate, other, { body: cancel })
    stay.close()
    // Messages arrive at the tool server in order: a cancellation would have arrived by now.
    await sendRaw(gate, agent, { body: call('lively__look', { text: 'later' }) })
    await waitForLine(gate, 'look {"text":"later"}')
    expect(gate.seen()).not.toContain('cancelled stay kept')
    await sendRaw(gate, agent, { body: cancel })
    await waitForLine(gate, 'cancelled stay kept')
  })

  test('of two requests with one id and without sessions, neither is cancelled by that id', async () => {
    for (const text of ['one', 'two']) listenTo(gate, agent, { method: 'POST', body: call('lively__stay', { text }) })
    await waitForLine(gate, 'stay {"text":"two"}')
    await waitForLine(gate, 'stay {"text":"one"}')
    await sendRaw(gate, agent, {
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    })
    await sendRaw(gate, agent, { body: call('lively__look', { text: 'after both' }) })
    expect(gate.seen().filter((line) => /^cancelled stay (one|two)$/.test(line))).toEqual([])
    await sendRaw(gate, agent, { body: call('lively__release') })
  })

  test('a held call outlives its connection', async () => {
    const held = await sendRaw(
      gate,
      agent,
      modern('tools/call', { name: 'lively__note', arguments: { text: 'outlives' } }),
    )
    const { approval_id } = (held.body['result'] as { structuredContent: { approval_id: string } }).structuredContent
    await gate.approve(approval_id, approver)
    await waitForLine(gate, 'note {"text":"outlives"}')
  })
})

describe('a person decides', () => {
  const note = (text: string, more: object = {}) =>
    modern('tools/call', { name: 'lively__note', arguments: { text }, ...more }, { elicitation: { url: {} } })

  test('a client that can show pages is sent to the console; its own claims about the result are not trusted', async () => {
    const asked = await sendRaw(gate, agent, note('page'))
    const result = asked.body['result'] as {
      requestState: string
      inputRequests: { approval: { params: Record<string, string> } }
    }
    const { params } = result.inputRequests.approval
    expect(params).toMatchObject({ mode: 'url', message: expect.stringContaining('has not run') as string })
    expect(asked.text).not.toMatch(/token/i)
    const approval_id = /approvals\/(\w+)/.exec(params['url'] ?? '')?.[1] ?? ''
    const answers = { approval: { action: 'accept', content: { approved: true } } }
    const again = sendRaw(gate, agent, note('page', { requestState: result.requestState, inputResponses: answers }))
    await until(async () => (await gate.http('GET', `/v1/approvals/${approval_id}`, approver)).status === 200)
    expect(gate.seen()).not.toContain('note {"text":"page"}')
    await gate.approve(approval_id, approver)
    expect((await again).text).toContain('note done: page')
    const later = await sendRaw(gate, agent, note('page', { requestState: result.requestState }))
    expect(later.text).toContain('note done: page')
    expect(gate.seen().filter((line) => line === 'note {"text":"page"}')).toHaveLength(1)
  })

  test('another caller`s held call is unknown, whatever state a client sends', async () => {
    const { body } = await sendRaw(gate, agent, note('private'))
    const { requestState } = body['result'] as { requestState: string }
    const stolen = await sendRaw(gate, other, note('private', { requestState }))
    expect(stolen.text).toContain('call.unknown')
  })
})

describe('changes are reported', () => {
  test('list changes are reported on both kinds of streams; an empty subscription ends at once', async () => {
    const old = listenTo(gate, agent, { headers: { 'mcp-session-id': await sessionOf(agent) } })
    const filter = { notifications: { toolsListChanged: true, promptsListChanged: true } }
    const subscribed = listenTo(gate, agent, { method: 'POST', ...modern('subscriptions/listen', filter) })
    expect(await Promise.all([old.opened, subscribed.opened])).toEqual([200, 200])
    await until(() => subscribed.messages.length === 1)
    expect(subscribed.messages[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: filter,
    })
    await sendRaw(gate, agent, { body: call('lively__grow') })
    await sendRaw(gate, agent, { body: call('offering__more') })
    const methodsOn = (stream: typeof old) => stream.messages.map(({ method }) => method)
    for (const stream of [old, subscribed])
      await until(() =>
        ['tools', 'prompts'].every((one) => methodsOn(stream).includes(`notifications/${one}/list_changed`)),
      )
    expect(subscribed.messages.at(-1)?.['params']).toEqual({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 1 },
    })
    old.close()
    subscribed.close()
    const nothing = await sendRaw(gate, agent, modern('subscriptions/listen', { notifications: {} }))
    expect(nothing.text).toContain('"resultType":"complete"')
  })

  test('a stream ends with its session', async () => {
    const session = { 'mcp-session-id': await sessionOf(agent) }
    const stream = listenTo(gate, agent, { headers: session })
    await stream.opened
    await sendRaw(gate, agent, { method: 'DELETE', headers: session })
    await until(stream.isOver)
  })
})

describe('an answer that takes long', () => {
  test('can be read after its stream was lost, more than once, only by its requester', async () => {
    const session = { 'mcp-session-id': await sessionOf(agent), 'mcp-protocol-version': '2025-11-25' }
    const lost = listenTo(gate, agent, {
      method: 'POST',
      headers: session,
      body: call('lively__stay', { text: 'long' }),
    })
    await until(() => lost.ids.length === 1)
    lost.close()
    const [last = ''] = lost.ids
    const resumed = listenTo(gate, agent, { headers: { ...session, 'last-event-id': last } })
    await resumed.opened
    await sendRaw(gate, agent, { body: call('lively__release') })
    await until(resumed.isOver)
    expect(resumed.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'released' }] } }])
    const again = await sendRaw(gate, agent, { method: 'GET', headers: { ...session, 'last-event-id': last } })
    expect(again.text).toContain('released')
    const after = { ...session, 'last-event-id': resumed.ids.at(-1) ?? '' }
    expect((await sendRaw(gate, agent, { method: 'GET', headers: after })).text).not.toContain('released')

    const theirs = { 'mcp-session-id': await sessionOf(other), 'last-event-id': last }
    const stolen = await sendRaw(gate, other, { method: 'GET', headers: theirs })
    expect(stolen.body.error?.data.code).toBe('mcp.event_unknown')
  })

  test('is not a resumable stream for clients before 2025-11-25, and no stream at all if it is fast', async () => {
    const session = { 'mcp-session-id': await sessionOf(agent), 'mcp-protocol-version': '2025-06-18' }
    const stream = listenTo(gate, agent, {
      method: 'POST',
      headers: session,
      body: call('lively__stay', { text: 'old' }),
    })
    await stream.opened
    await sendRaw(gate, agent, { body: call('lively__release') })
    await until(stream.isOver)
    expect(stream).toMatchObject({ ids: [], messages: [{ id: 1 }] })
    const quick = await sendRaw(gate, agent, {
      headers: { ...session, 'mcp-protocol-version': '2025-11-25' },
      body: call('lively__look'),
    })
    expect(quick.headers['content-type']).toBe('application/json')
  })
})

describe('what a client sees', () => {
  test('resources and prompts of the servers behind the gate, with names that contain the server', async () => {
    const asked = async (method: string, params: object = {}) =>
      (await sendRaw(gate, agent, { body: rpc(method, params) })).body['result']
    expect(await asked('resources/list')).toMatchObject({ resources: [{ uri: 'notes://today' }] })
    expect(await asked('resources/read', { uri: 'notes://today' })).toMatchObject({ contents: [{ text: 'sunny' }] })
    expect(JSON.stringify(await asked('prompts/list'))).toContain('"name":"offering__greet"')
    const greeted = await asked('prompts/get', { name: 'offering__greet', arguments: { name: 'Ana' } })
    expect(JSON.stringify(greeted)).toContain('say hello to Ana')
    const missing = await sendRaw(gate, agent, { body: rpc('prompts/get', { name: 'offering__none' }) })
    expect(missing.body.error?.data.code).toBe('read.unknown')
  })

  test('the search surface has none, and tools cannot be called by their own names', async () => {
    const path = '/mcp?surface=search'
    expect((await sendRaw(gate, agent, { path, body: rpc('resources/list') })).body.error?.code).toBe(-32601)
    const direct = await sendRaw(gate, agent, { path, body: call('lively__look') })
    expect(direct.text).toContain('execute_skill_proxy')
    expect(direct.text).toContain('tool.unknown')
  })

  test('`auto` lists a small number of tools directly, and accepts both kinds of names', async () => {
    const path = '/mcp?surface=auto'
    const { text } = await sendRaw(gate, agent, { path, body: list })
    expect(text).toContain('lively__look')
    expect(text).not.toContain('execute_skill_proxy')
    const proxied = call('execute_skill_proxy', { skill_id: 'lively__look', args: {} })
    expect((await sendRaw(gate, agent, { path, body: proxied })).text).toContain('look done')
  })

  test('the connection`s choice of surface takes precedence over the key, and the key over the configuration', async () => {
    const made = await gate.cli('keys', 'create', 'agent', 'finder', '--surface', 'search')
    const key = made.out.trim()
    const sees = async (path: string, who: string) => (await sendRaw(gate, who, { path, body: list })).text
    expect(await sees('/mcp', agent)).toContain('lively__look')
    expect(await sees('/mcp', key)).toContain('execute_skill_proxy')
    expect(await sees('/mcp', key)).not.toContain('lively__look')
    expect(await sees('/mcp?surface=passthrough', key)).toContain('lively__look')
    expect((await gate.cli('keys', 'list')).out).toMatch(/agent:finder .* active +search/)
    expect(await gate.cli('keys', 'create', 'agent', 'loser', '--surface', 'all')).toMatchObject({ code: 64, out: '' })
  })

  test('a dry run of a tool that has none says so, and runs nothing', async () => {
    const args = { skill_id: 'lively__note', args: { text: 'dry' }, mode: 'dry_run' }
    const answer = await sendRaw(gate, agent, { path: '/mcp?surface=search', body: call('execute_skill_proxy', args) })
    expect(answer.body['result']).toMatchObject({ isError: true })
    expect(gate.seen()).not.toContain('note {"text":"dry"}')
  })

  test('the same idempotency key is the same call', async () => {
    const headers = { 'idempotency-key': 'k1' }
    const body = call('lively__look', { text: 'once' })
    const [first] = [await sendRaw(gate, agent, { headers, body }), await sendRaw(gate, agent, { headers, body })]
    expect(first.text).toContain('look done')
    expect(gate.seen().filter((line) => line === 'look {"text":"once"}')).toHaveLength(1)
  })
})
