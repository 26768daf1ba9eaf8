import type { Confirm } from '../../src/kernel/contract/sentence.ts'
import { createHmac } from 'node:crypto'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ESCAPES, FORGED_LINES, looksOurs, threadOf } from '../hostile-texts.ts'
import { LAUNCHER } from '../built/built.ts'
import { run } from '../helpers/with-running-gate.ts'
import { receiver, type Received, type Receiver } from './receiver.ts'
import { typedFor } from '../helpers/with-gate.ts'

const OUT = `whsec_${Buffer.from('a secret of the way out').toString('base64')}`
const BACK = 'a secret of the way back'

const folder = mkdtempSync(join(tmpdir(), 'sluice-channels-'))
let inbox: Receiver, flaky: Receiver, hanging: Receiver, phone: Receiver, late: Receiver
/** While true, it never answers. */
let isHanging = false
/** While true, it accepts nothing. */
let isDown = false
let child: ChildProcess
let url = ''
let agent = ''
let approver = ''

async function up(): Promise<void> {
  child = spawn(process.execPath, [LAUNCHER, 'up', '--trust'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const { stdout } = child
  if (stdout === null) throw new Error('no output')
  const greeting = await new Promise<string>((done) => createInterface({ input: stdout }).once('line', done))
  url = /http:\S+?(?=,)/.exec(greeting)?.[0] ?? greeting
}
const ended = () => new Promise((done) => child.once('exit', done))

beforeAll(async () => {
  inbox = await receiver()
  flaky = await receiver((response, index) => void response.writeHead(index < 2 ? 500 : 200).end())
  hanging = await receiver((response) => void (isHanging ? undefined : response.writeHead(200).end()))
  phone = await receiver()
  late = await receiver((response) => void response.writeHead(isDown ? 503 : 200).end())
  writeFileSync(join(folder, 'out.secret'), OUT)
  writeFileSync(join(folder, 'back.secret'), BACK)
  writeFileSync(join(folder, 'phone.secret'), 'tk_phone')
  const out = 'file:./out.secret'
  const webhooks = [
    {
      name: 'inbox',
      url: `${inbox.url}/in`,
      secret: out,
      callback: { secret: 'file:./back.secret', approver: 'pager' },
    },
    { name: 'flaky', url: flaky.url, secret: out, events: ['approval.denied'] },
    { name: 'hanging', url: hanging.url, secret: out, events: ['approval.approved'] },
    { name: 'late-program', url: `${late.url}/program`, secret: out },
  ]
  const channels = {
    url: 'https://gate.example',
    webhooks,
    push: [
      { name: 'phone', url: `${phone.url}/topic`, token: 'file:./phone.secret' },
      { name: 'late-phone', url: `${late.url}/phone` },
    ],
  }
  const policy = {
    rules: [
      { id: 'two', effect: 'ask', strength: 'two_person', match: { tool: 'book__wipe' }, says: 'two people wipe' },
    ],
  }
  const book = {
    command: 'node',
    args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: {
      note: { effects: ['write'], title: 'Übertrag notieren', content: { secrets: 'ask' } },
      wipe: { effects: ['destructive'] },
    },
  }
  writeFileSync(
    join(folder, 'sluice.yaml'),
    JSON.stringify({ listen: { port: 0 }, policy, servers: { book }, channels }),
  )
  await up()
  agent = (await run(folder, ['keys', 'create', 'agent', 'a', '--user', 'ana'])).out.trim()
  approver = (await run(folder, ['keys', 'create', 'approver', 'bob'])).out.trim()
})
afterAll(async () => {
  child.kill('SIGTERM')
  await ended()
  for (const one of [inbox, flaky, hanging, phone, late]) await one.close()
  rmSync(folder, { recursive: true, force: true })
})

async function http(method: string, path: string, key: string, body?: unknown): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Record<string, unknown>
}
let calls = 0
/** A held call with unique arguments. */
async function hold(tool: string, text = `${(calls += 1)}`): Promise<{ approval_id: string; call_id: string }> {
  const held = await http('POST', '/v1/calls', agent, { tool, args: { text } })
  return { approval_id: String(held['approval_id']), call_id: String(held['call_id']) }
}
/** What the approver is shown. */
const digestOf = async (id: string) => String((await http('GET', `/v1/approvals/${id}`, approver))['digest'])
const shownOf = async (id: string) => {
  const packet = await http('GET', `/v1/approvals/${id}`, approver)
  return { digest: String(packet['digest']), typed: typedFor(packet as Parameters<typeof typedFor>[0]) }
}
const approval = async (id: string) => ({ approval_id: id, decision: 'approve', ...(await shownOf(id)) })
const decide = async (id: string, decision: string) => {
  const shown = decision === 'approve' ? await shownOf(id) : {}
  return http('POST', `/v1/approvals/${id}/decide`, approver, { decision, ...shown })
}

const sign = (secret: Buffer | string, id: string, seconds: number | string, body: string) =>
  `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`
const now = () => Math.floor(Date.now() / 1000)

type Answer = {
  readonly id?: string
  readonly seconds?: number
  readonly secret?: Buffer | string
  readonly signature?: string
  readonly channel?: string
}
async function answer(
  body: object | string,
  how: Answer = {},
): Promise<{ status: number; code: unknown; state: unknown }> {
  const { id = `m${(calls += 1)}`, seconds = now(), secret = BACK, channel = 'inbox' } = how
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const signature = how.signature ?? sign(secret, id, seconds, text)
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature }
  const got = await fetch(`${url}/v1/channels/${channel}/callback`, { method: 'POST', headers, body: text })
  const { code, state } = (await got.json()) as Record<string, unknown>
  return { status: got.status, code, state }
}

/** The message to a receiver about this request. */
async function about(one: Receiver, approval_id: string): Promise<Received> {
  for (let index = 0; ; index += 1) {
    const message = await one.nth(index)
    if (message.body.includes(approval_id) || String(message.headers['click']).includes(approval_id)) return message
  }
}

test('a held call is reported in a signed message with its packet, and never with a secret or a token', async () => {
  const secret = 'ghp_' + 'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'.slice(0, 36)
  const { approval_id, call_id } = await hold('book__note', `the key is ${secret}`)
  const message = await about(inbox, approval_id)
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '', 'webhook-signature': signature } = message.headers
  const key = Buffer.from(OUT.slice('whsec_'.length), 'base64')
  expect(signature).toBe(sign(key, String(id), String(seconds), message.body))
  const { type, timestamp, data } = JSON.parse(message.body) as Record<string, unknown>
  expect({ type, data }).toMatchObject({
    type: 'approval.pending',
    data: {
      approval_id,
      call_id,
      tool_id: 'book__note',
      title: 'Übertrag notieren',
      asked_by: 'agent:a',
      state: 'pending',
      strength: 'strong',
      url: `https://gate.example/#/approvals/${approval_id}`,
    },
  })
  expect(Date.parse(String(timestamp))).toBeGreaterThan(0)
  expect(message.body).not.toContain(secret)
  // A channel cannot reveal what is hidden: it says how much, and where it can be seen.
  expect(data).toMatchObject({ hidden: { places: 1, characters: secret.length } })
  expect(message.body).toContain(`sluice approvals show ${approval_id} --reveal`)
  expect(message.body).not.toContain('"digest"')
  expect(message.body).not.toMatch(/v1\.\d+\./)
  const push = await about(phone, approval_id)
  expect(push.headers).toMatchObject({ priority: '5', authorization: 'Bearer tk_phone' })
  expect(String(push.headers['title'])).toBe(
    `=?UTF-8?B?${Buffer.from('Approve? Übertrag notieren').toString('base64')}?=`,
  )
  expect(push.body).toMatch(/^.*…\nWhy: it /)
  expect(push.body).not.toContain('the key is')
})

test('a failing receiver gets the same message again until it accepts it', async () => {
  const { approval_id } = await hold('book__note')
  await decide(approval_id, 'deny')
  const third = await flaky.nth(2)
  const ids = flaky.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
  expect(third.body).toContain(approval_id)
  expect(third.body).toBe(flaky.received[0]?.body)
  expect(third.body).toContain('"type":"approval.denied"')
})

test('a request that is decided before its message arrives is announced to programs and not to people', async () => {
  const before = late.received.length
  isDown = true
  const { approval_id } = await hold('book__note')
  await Promise.all([late.nth(before), late.nth(before + 1)])
  await decide(approval_id, 'deny')
  isDown = false
  const refused = late.received.length
  const deliveries = async () => (await http('GET', '/v1/runs?kind=delivery&limit=50', approver))['items']
  await expect
    .poll(async () => JSON.stringify(await deliveries()), { timeout: 20_000 })
    .not.toMatch(/"(?:waiting|active)"/)
  expect(late.received.slice(refused).map(({ path }) => path)).toEqual(['/program'])
})

test('hostile arguments and thread names cannot forge lines in a message', async () => {
  for (const { name, text } of [...FORGED_LINES, ...ESCAPES]) {
    const args = { text: `${(calls += 1)} ${text}`.slice(0, 1_000) }
    const held = await http('POST', '/v1/calls', agent, { tool: 'book__note', args, thread: threadOf(text) })
    const { data } = JSON.parse((await about(inbox, String(held['approval_id']))).body) as {
      data: Record<string, string>
    }
    for (const part of ['title', 'why', 'args', 'thread', 'asked_by', 'tool_id'])
      expect(looksOurs(data[part] ?? ''), `${name} in ${part}`).toBeUndefined()
    const push = await about(phone, String(held['approval_id']))
    expect(looksOurs(push.body), name).toBeUndefined()
  }
})

describe('an answer', () => {
  test('decides as the approver of its channel, and the call then runs', async () => {
    const { approval_id, call_id } = await hold('book__note')
    const waiting = http('GET', `/v1/calls/${call_id}?wait_ms=60000`, agent)
    const { data } = JSON.parse((await about(inbox, approval_id)).body) as { data: { digest: string } }
    expect(data.digest).toBe(await digestOf(approval_id))
    const body = { approval_id, decision: 'approve', digest: data.digest }
    expect(await answer(body)).toMatchObject({ status: 200, state: 'approved' })
    expect(await waiting).toMatchObject({ status: 'executed' })
    const audit = await run(folder, ['audit', 'export'])
    expect(audit.out).toMatch(/"type":"channel\.answered".*?/)
    expect(audit.out).toMatch(/"actor":"approver:pager"/)
  })

  test('approves nothing that somebody could have folded: the message has no digest, only the page', async () => {
    const { approval_id } = await hold('book__note', `fine\n\n${'x'.repeat(300)}`)
    const { body } = await about(inbox, approval_id)
    expect(body).toContain(`https://gate.example/#/approvals/${approval_id}`)
    expect(body).not.toContain('"digest"')
    expect(body).not.toContain('is_long')
    expect(await answer(await approval(approval_id))).toMatchObject({ status: 409, code: 'approval.not_shown' })
    expect(await http('GET', `/v1/approvals/${approval_id}`, approver)).toMatchObject({ state: 'pending' })
    expect((await about(phone, approval_id)).headers).not.toHaveProperty('actions')
  })

  test('sent a second time is refused', async () => {
    const [first, second] = [await hold('book__wipe'), await hold('book__note')]
    const body = await approval(first.approval_id)
    // It is strong, so the message says what to type.
    const { confirm } = (JSON.parse((await about(inbox, first.approval_id)).body) as { data: { confirm?: Confirm } })
      .data
    expect(confirm?.words.join(', ')).toBe(body.typed)
    const { typed: _, ...untyped } = body
    expect(await answer(untyped)).toMatchObject({ status: 403, code: 'approval.typed_needed' })
    expect(await answer(body, { id: 'again' })).toMatchObject({ status: 200, state: 'pending' })
    // The same person does not count twice, however it is sent; an id is spent even for another request.
    expect(await answer(body, { id: 'again' })).toMatchObject({ code: 'approval.already_decided_by_you' })
    expect(await answer(body)).toMatchObject({ code: 'approval.already_decided_by_you' })
    const other = await approval(second.approval_id)
    expect(await answer(other, { id: 'again' })).toMatchObject({ status: 409, code: 'request.replayed' })
  })

  test.each<{ what: string; how: Answer; code: string }>([
    { what: 'with another secret', how: { secret: 'a secret of somebody else' }, code: 'channel.not_genuine' },
    {
      what: 'with the secret of the way out',
      how: { secret: Buffer.from('a secret of the way out') },
      code: 'channel.not_genuine',
    },
    { what: 'without a signature', how: { signature: '' }, code: 'channel.not_genuine' },
    {
      what: 'with an unknown kind of signature',
      how: { signature: `v0,${'A'.repeat(43)}=` },
      code: 'channel.not_genuine',
    },
    { what: 'signed ten minutes ago', how: { seconds: now() - 600 }, code: 'channel.outdated' },
    { what: 'signed in ten minutes', how: { seconds: now() + 600 }, code: 'channel.outdated' },
    { what: 'for a channel that takes none', how: { channel: 'flaky' }, code: 'channel.unknown' },
  ])('$what is refused and decides nothing', async ({ how, code }) => {
    const { approval_id } = await hold('book__note')
    expect(await answer(await approval(approval_id), how)).toMatchObject({ code })
    expect(await http('GET', `/v1/approvals/${approval_id}`, approver)).toMatchObject({ state: 'pending' })
  })

  test('whose body was changed after signing is refused', async () => {
    const { approval_id } = await hold('book__note')
    const signed = JSON.stringify({ approval_id, decision: 'deny' })
    const signature = sign(BACK, 'x', now(), signed)
    const changed = signed.replace('deny', 'approve')
    expect(await answer(changed, { id: 'x', signature })).toMatchObject({ code: 'channel.not_genuine' })
  })

  test('that approves names the packet of its message, and one that shows only a part has none', async () => {
    const { approval_id } = await hold('book__note')
    expect(await answer({ approval_id, decision: 'approve' })).toMatchObject({ code: 'request.invalid' })
    const other = { approval_id, decision: 'approve', digest: 'a'.repeat(64) }
    expect(await answer(other)).toMatchObject({ status: 409, code: 'approval.changed' })
    const long = await hold('book__note', `${'x'.repeat(3_000)} and then something else`)
    expect((await about(inbox, long.approval_id)).body).not.toContain('"digest"')
  })

  test('with an invalid shape is rejected with a reason', async () => {
    expect(await answer({ approval_id: 'auth_1', decision: 'remember' })).toMatchObject({ code: 'request.invalid' })
    expect(await answer('{"a":1,"a":2}')).toMatchObject({ code: 'request.not_ijson' })
  })
})

test('a gate killed between a decision and the delivery of its message sends it after the restart', async () => {
  const { approval_id, call_id } = await hold('book__note')
  isHanging = true
  await decide(approval_id, 'approve')
  const first = await about(hanging, approval_id)
  expect(await http('GET', `/v1/calls/${call_id}?wait_ms=60000`, agent)).toMatchObject({ status: 'executed' })
  child.kill('SIGKILL')
  await ended()
  isHanging = false
  const seen = hanging.received.length
  await up()
  const again = await hanging.nth(seen)
  expect(again.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(again.body).toContain('approval.approved')
})

test('the verifier in the README of webhooks accepts only what the gate signed', async () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../src/guests/webhook/README.md'), 'utf8')
  const code = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(15)
  const file = join(folder, 'verify.mjs')
  writeFileSync(file, code)
  const { verify } = (await import(file)) as { verify: (headers: object, body: string, secret: string) => boolean }
  const { headers, body } = await inbox.nth(0)
  expect(verify(headers, body, OUT)).toBe(true)
  expect(verify(headers, `${body} `, OUT)).toBe(false)
  expect(verify({ ...headers, 'webhook-id': 'other' }, body, OUT)).toBe(false)
  expect(verify({ ...headers, 'webhook-timestamp': '1' }, body, OUT)).toBe(false)
  expect(verify(headers, body, BACK)).toBe(false)
})
