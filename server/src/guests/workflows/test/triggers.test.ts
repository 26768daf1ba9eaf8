import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { BOOK_TOOLS, until } from '../../../../test/helpers/with-gate.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const BEARER = 'bearer-of-the-tests-1234'
const SIGNED = 'signer-of-the-tests-1234'
const BOARD = { out: 'what-the-gate-signs-with', in: 'what-the-board-signs-with' }
process.env['HOOK_BEARER'] = BEARER
process.env['HOOK_SIGNED'] = SIGNED
process.env['BOARD_OUT'] = BOARD.out
process.env['BOARD_IN'] = BOARD.in

const DOCUMENT = (name: string, limit = 0) => `apiVersion: gosuto/v1
metadata: { name: ${name} }
trust:
  allowedRooms: ["!office:test"]
  allowedSenders: ["*"]
  trustedPeers: [{ mxid: "@boss:test", roomId: "!office:test", protocols: [said.v1] }]
limits: { maxEventsPerMinute: ${limit} }
capabilities: [{ name: book, mcp: book, tool: "*", allow: true }]
gateways:
  - { name: open-${name}, type: webhook, config: { auth: bearer, secret: bearer } }
  - { name: signed-${name}, type: webhook, config: { secret: signed, event: order.made } }
secrets: [{ name: bearer, envVar: HOOK_BEARER }, { name: signed, envVar: HOOK_SIGNED }]
messaging: { allowedTargets: [{ roomId: "!office:test", alias: office }] }
workflow:
  protocols:
    - id: order.v1
      trigger: { type: gateway.event, prefix: order.made }
      steps: [{ type: tool, tool: book__note_again, argsTemplate: { text: "order {{input | json}}" } }]
    - id: said.v1
      trigger: { type: matrix.protocol_message, prefix: FILE_IT }
      steps:
        - { type: tool, tool: book__note_again, argsTemplate: { text: "said {{input.id}}" } }
        - { type: send_message, targetAlias: office, payloadTemplate: "FILED {{input.id}}" }
`

type Sent = { readonly to: string; readonly headers: Record<string, string>; readonly body: string }

let gate: RunningGate & { stop(): Promise<void> }
let board: Server
/** What the gate sent to the other side, and how that answers. */
const sent: Sent[] = []
let answers: number[] = []

beforeAll(async () => {
  board = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      sent.push({ to: request.url ?? '', headers: request.headers as Record<string, string>, body })
      response.writeHead(answers.shift() ?? 204).end()
    })
  })
  await new Promise<void>((done) => board.listen(0, '127.0.0.1', done))
  gate = await startGate((folder) => {
    const book = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../../../../test/tool-servers/effects.ts')],
      env: { EFFECTS: join(folder, 'effects.txt') },
      tools: BOOK_TOOLS,
    }
    const address = `http://127.0.0.1:${(board.address() as AddressInfo).port}`
    const rules = [{ id: 'all', effect: 'allow', match: { server: ['book', 'messages'] }, says: 'harmless' }]
    const signed = { secret: 'env:BOARD_OUT', incoming: { secret: 'env:BOARD_IN' } }
    // Both reach every room.
    const transports = ['board', 'second'].map((name) => ({ name, url: `${address}/${name}`, ...signed }))
    const models = { script: 'script.yaml' }
    const common = { listen: { port: 0 }, policy: { rules }, repetition: { most: 1000 } }
    const config = { ...common, servers: { book }, transports, models }
    const says = { when: 'greet (\\w+)', answer: 'Hello, {{1}}.' }
    writeFileSync(join(folder, 'script.yaml'), JSON.stringify({ rules: [says] }))
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
    writeFileSync(join(folder, 'effects.txt'), '')
    writeFileSync(join(folder, 'clerk.yaml'), DOCUMENT('clerk'))
    writeFileSync(join(folder, 'tight.yaml'), DOCUMENT('tight', 2))
  })
  for (const name of ['clerk', 'tight'])
    expect(await gate.cli('workflow', 'apply', `${name}.yaml`)).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await gate.stop()
  await new Promise((done) => board.close(done))
})

const effects = (text: string) =>
  readFileSync(join(gate.folder, 'effects.txt'), 'utf8')
    .split('\n')
    .filter((line) => line.includes(text))
const audit = async () =>
  (await gate.cli('audit', 'export')).out
    .trim()
    .split('\n')
    .flatMap((line) => {
      const { kind, entry } = JSON.parse(line) as { kind: string; entry: Record<string, unknown> }
      return kind === 'entry' ? [entry] : []
    })
const refused = async () => (await audit()).filter(({ type }) => type === 'workflow.refused')

async function post(path: string, body: string, headers: Record<string, string>) {
  const answer = await fetch(`${gate.url}${path}`, { method: 'POST', body, headers })
  const reply = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, code: reply['code'] ?? reply['type'], body: reply }
}
const signed = (body: string, secret = SIGNED) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
})
const event = (id: string) => JSON.stringify({ order: id })

describe('a webhook gateway', () => {
  test('starts a run for a signed event, with 202 and its id, and once for one delivery', async () => {
    const body = event('first')
    const one = await post('/v1/events/signed-clerk', body, { ...signed(body), 'webhook-id': 'd1' })
    expect(one).toMatchObject({ status: 202, body: { run_id: expect.stringMatching(/^run_/) } })
    const again = await post('/v1/events/signed-clerk', body, { ...signed(body), 'webhook-id': 'd1' })
    expect([again.status, again.body['run_id']]).toEqual([202, one.body['run_id']])
    // Without an id of the sender's, the body is the id.
    const [plain, same] = [
      await post('/v1/events/signed-clerk', event('plain'), signed(event('plain'))),
      await post('/v1/events/signed-clerk', event('plain'), signed(event('plain'))),
    ]
    expect(plain.body['run_id']).toBe(same.body['run_id'])
    await until(() => effects('\\"first\\"').length === 1 && effects('\\"plain\\"').length === 1)
    const [line = ''] = effects('\\"first\\"').map((one) => one.replaceAll('\\', ''))
    expect(line).toContain('"source":"signed-clerk"')
    expect(line).toContain('"type":"order.made"')
    expect(line).toContain('"payload":{"data":{"order":"first"},"message":""}')
  })

  test.skipIf(!IS_WHOLE)('twenty at the same time with one delivery id start one run', async () => {
    const body = event('race')
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        post('/v1/events/signed-clerk', body, { ...signed(body), 'webhook-id': 'race' }),
      ),
    )
    expect(new Set(all.map(({ status, body: { run_id } }) => `${status} ${String(run_id)}`)).size).toBe(1)
    await until(() => effects('\\"race\\"').length > 0)
    await post('/v1/events/signed-clerk', event('after'), signed(event('after')))
    await until(() => effects('\\"after\\"').length > 0)
    expect(effects('\\"race\\"')).toHaveLength(1)
  })

  test('rejects events that are not signed, signed wrongly, or signed for another body, and records it in the audit', async () => {
    const before = (await refused()).length
    const body = event('forged')
    const tries = [
      {},
      signed(body, 'another-secret-of-the-tests'),
      signed(event('other')),
      { 'x-hub-signature-256': signed(body)['x-hub-signature-256'].slice(0, -1) },
      { 'x-hub-signature-256': `sha1=${createHmac('sha1', SIGNED).update(body).digest('hex')}` },
      { authorization: `Bearer ${SIGNED}` },
    ]
    for (const headers of tries)
      expect(await post('/v1/events/signed-clerk', body, headers)).toMatchObject({
        status: 401,
        body: { code: 'event.not_genuine' },
      })
    for (const headers of [{}, { authorization: `Bearer ${BEARER}x` }, { authorization: BEARER }, signed(body, BEARER)])
      expect(await post('/v1/events/open-clerk', body, headers)).toMatchObject({ status: 401 })
    expect(await post('/v1/events/nobody', body, signed(body))).toMatchObject({ status: 404 })
    expect((await refused()).slice(before).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: tries.length + 4 }, () => 'trust_mismatch'),
    )
    expect(effects('forged')).toEqual([])
  })

  test.skipIf(!IS_WHOLE)(
    'accepts a bearer token, an envelope, and a type in a header; a type without a protocol is rejected',
    async () => {
      const bearer = { authorization: `Bearer ${BEARER}` }
      const envelope = JSON.stringify({ type: 'order.made', payload: { message: 'enveloped', data: [1] } })
      expect(await post('/v1/events/open-clerk', envelope, bearer)).toMatchObject({ status: 202 })
      const typed = await post('/v1/events/open-clerk', event('typed'), { ...bearer, 'x-event-type': 'order.made' })
      expect(typed).toMatchObject({ status: 202 })
      await until(() => effects('enveloped').length === 1 && effects('\\"typed\\"').length === 1)
      expect(await post('/v1/events/open-clerk', event('none'), bearer)).toMatchObject({
        body: { code: 'workflow.invalid_protocol_message' },
      })
    },
  )

  test('answers 429 over the limit, and still recognises a delivery that was accepted before', async () => {
    const send = (id: string) => post('/v1/events/signed-tight', event(id), { ...signed(event(id)), 'webhook-id': id })
    const one = await send('t1')
    const statuses = []
    for (const id of ['t2', 't3', 't4', 't5', 't6']) statuses.push((await send(id)).status)
    // The minute may end in between.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1)
    expect(await send('t1')).toMatchObject({ status: 202, body: { run_id: one.body['run_id'] } })
    expect((await refused()).some(({ outcome }) => outcome === 'limit_exceeded')).toBe(true)
  })
})

describe('a transport of signed requests', () => {
  const now = () => String(Math.floor(Date.now() / 1000))
  const sign = (id: string, seconds: string, body: string, secret = BOARD.in) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`
  const message = (id: number, more: object = {}) =>
    JSON.stringify({
      room: '!office:test',
      sender: '@boss:test',
      agent: 'clerk',
      text: `FILE_IT {"id":${id}}`,
      ...more,
    })
  const hand = (
    body: string,
    given: { id?: string; seconds?: string; signature?: string; over?: 'board' | 'second' } = {},
  ) => {
    const { id = randomUUID(), seconds = now(), over = 'board' } = given
    const { signature = sign(id, seconds, body) } = given
    return post(`/v1/transports/${over}/messages`, body, {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': signature,
    })
  }

  test('delivers a message once, and the answer is sent signed, with one id for all attempts', async () => {
    answers = [503, 204]
    const id = randomUUID()
    const one = await hand(message(1), { id })
    expect(one).toMatchObject({ status: 200, body: { taken: [{ is: 'started', document: 'clerk' }] } })
    expect(await hand(message(1), { id })).toMatchObject({ body: one.body })
    await until(() => sent.length >= 2)
    expect(effects('"said 1"')).toHaveLength(1)
    const [first, second] = sent
    expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
    for (const { headers, body } of sent) {
      const [of = '', seconds = ''] = [headers['webhook-id'], headers['webhook-timestamp']]
      expect(headers['webhook-signature']).toBe(sign(of, seconds, body, BOARD.out))
      expect(JSON.parse(body)).toEqual({ type: 'message', agent: 'clerk', room: '!office:test', text: 'FILED 1' })
    }
  })

  test('a person`s message to the agent is a turn, and is answered once, over the transport that it arrived on', async () => {
    const greet = (name: string) => message(0, { text: `please greet ${name}`, directed: true })
    const id = randomUUID()
    const one = await hand(greet('Ana'), { id, over: 'second' })
    expect(one).toMatchObject({ status: 200, body: { taken: [{ is: 'turn', document: 'clerk' }] } })
    expect(await hand(greet('Ana'), { id, over: 'second' })).toMatchObject({ body: one.body })
    await hand(greet('Bob'), { over: 'board' })
    const answered = (text: string) => sent.filter(({ body }) => body.includes(text)).map(({ to }) => to)
    await until(() => answered('Hello, Ana.').length > 0 && answered('Hello, Bob.').length > 0)
    expect([answered('Hello, Ana.'), answered('Hello, Bob.')]).toEqual([['/second'], ['/board']])
    // Another person in the same room has another thread, and a message that is not for the agent is not a turn.
    const other = await hand(message(0, { text: 'please greet Eve', directed: true, sender: '@eve:test' }))
    expect((other.body['taken'] as { run_id: string }[])[0]?.run_id).not.toBe(
      (one.body['taken'] as { run_id: string }[])[0]?.run_id,
    )
    expect(await hand(message(0, { text: 'please greet Carl' }))).toMatchObject({
      body: { taken: [{ is: 'ignored' }] },
    })
  })

  test('rejects a message with another secret, body, id or time, or one that is too old, without reading it', async () => {
    const body = message(2)
    const [id, old] = [randomUUID(), String(Number(now()) - 301)]
    const tries: { id: string; seconds?: string; signature?: string }[] = [
      { id, signature: sign(id, now(), body, BOARD.out) },
      { id, signature: sign(id, now(), message(3)) },
      { id, signature: sign('another', now(), body) },
      { id, seconds: old, signature: sign(id, now(), body) },
      { id, seconds: old },
      { id, seconds: String(Number(now()) + 400) },
      { id, seconds: 'soon', signature: sign(id, 'soon', body) },
      { id: '', signature: sign('', now(), body) },
      { id, signature: '' },
    ]
    for (const given of tries)
      expect(await hand(body, given)).toMatchObject({ status: 401, body: { code: 'transport.not_genuine' } })
    expect(await post('/v1/transports/other/messages', body, {})).toMatchObject({ status: 404 })
    expect(effects('"said 2"')).toEqual([])
  })

  test('checks room, sender, prefix, peer and payload in this order, whatever the message says of itself', async () => {
    const outcome = async (more: object) =>
      ((await hand(message(4, more))).body['taken'] as { code?: string }[])[0]?.code
    expect(await outcome({ room: '!away:test' })).toBe('trust_mismatch')
    expect(await outcome({ sender: '@imp:test', text: 'FILE_IT {no' })).toBe('trust_mismatch')
    expect(await outcome({ text: 'FILE_IT {no' })).toBe('invalid_protocol_message')
    expect(await hand(message(4, { extra: 1 }))).toMatchObject({ status: 400 })
    expect(effects('"said 4"')).toEqual([])
  })
})

// The last one: the gate closes the connection on a request that is too long.
test('a body of more than a mebibyte is refused', async () => {
  const body = JSON.stringify('x'.repeat(1_048_576))
  expect(await post('/v1/events/signed-clerk', body, signed(body))).toMatchObject({ status: 413 })
})
