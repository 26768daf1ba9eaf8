import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCESS, appWithoutGate } from '../../../scripts/app-without-gate.ts'
import { CallerKind } from '../../src/kernel/contract/caller.ts'
import { MCP_PATHS } from '../../src/adapters/mcp/serve-http.ts'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'

const SRC = resolve(import.meta.dirname, '../../src')
const KINDS = ['nobody', ...CallerKind.options] as const

let gate: RunningGate & { stop(): Promise<void> }
const keys = new Map<string, string>()
const of = (kind: string) => keys.get(kind)
beforeAll(async () => {
  gate = await startGate()
  keys.set('admin', await gate.key('admin', 'admin', 'admin-person'))
  for (const kind of CallerKind.options.filter((kind) => kind !== 'admin'))
    keys.set(kind, await newKey(kind, kind, `${kind}-person`))
  keys.set('other', await newKey('agent', 'other', 'somebody'))
  keys.set('stranger', await newKey('user', 'stranger', 'stranger'))
})
afterAll(() => gate.stop())

async function newKey(kind: string, name: string, user: string): Promise<string> {
  return String((await gate.http('POST', '/v1/keys', of('admin'), { kind, name, user })).body['key'])
}

/** A request to a route with the parts of its path filled in; only the head of the answer is waited for, streams never end. */
async function sendRaw(name: string, key: string | undefined, parts: Readonly<Record<string, string>> = {}) {
  const [method = '', path = ''] = name.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? 'x')
  const answer = await fetch(`${gate.url}${filled}`, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    // A caller with access is rejected because of this, before anything is done.
    ...(method === 'POST' ? { body: '{"a field nobody knows":1}' } : {}),
  })
  const isJson = /^application\/(problem\+)?json(;|$)/.test(answer.headers.get('content-type') ?? '')
  const body = isJson ? ((await answer.json()) as { code?: string }) : {}
  if (!isJson) await answer.body?.cancel()
  return { status: answer.status, code: body.code }
}

describe('the access matrix', () => {
  test('contains every route of the router and of the MCP door', () => {
    const declared = (method: string, path: string) => ACCESS.has(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    const routed = appWithoutGate().routes.filter(({ method, path }) => !(method === 'ALL' && path === '/*'))
    expect(routed.length).toBeGreaterThan(40)
    expect(
      routed.filter(({ method, path }) => !declared(method, path)).map(({ method, path }) => method + path),
    ).toEqual([])
    const served = [...ACCESS.keys()].map((name) => name.split(' ')[1])
    expect(MCP_PATHS.filter((path) => !served.includes(path))).toEqual([])
  })

  test('covers the only listener', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.(?:test|suite))\.tsx?$/.test(file),
    )
    const listening = files.filter((file) => /\bcreateServer\(/.test(readFileSync(join(SRC, file), 'utf8')))
    expect(listening.toSorted()).toEqual([
      join('adapters', 'http', 'listen.ts'),
      // Listens for a moment, to say at once that an address is in use.
      join('main', 'check-address.ts'),
    ])
  })

  test.each(KINDS)('matches what %s gets at every route', async (kind) => {
    const seen: Record<string, string> = {}
    const declared: Record<string, string> = {}
    for (const [name, access] of ACCESS) {
      const isLetIn = access === 'anyone' || access.some((one) => one === kind)
      declared[name] = isLetIn ? 'let in' : kind === 'nobody' ? '401 auth.missing' : '403 auth.forbidden'
      const { status, code } = await sendRaw(name, of(kind))
      seen[name] = code?.startsWith('auth.') === true ? `${status} ${code}` : status >= 500 ? String(status) : 'let in'
    }
    expect(seen).toEqual(declared)
  })
})

test('a stolen agent key is rejected at every route for people, changes nothing, and appears in the audit', async () => {
  const held = await gate.http('POST', '/v1/calls', of('agent'), { tool: 'book__note', args: { text: 'x' } })
  const { approval_id = '', call_id = '' } = held.body as Record<string, string>
  const thief = await newKey('agent', 'thief', 'agent-person')
  const parts = { approval_id, call_id, key_id: 'key_0000000000000000', tool_id: 'book__wipe', user: 'approver-person' }
  const bodies: Record<string, unknown> = {
    'POST /v1/approvals/{approval_id}/decide': { decision: 'approve', digest: 'a'.repeat(64) },
    'POST /v1/approvals/{approval_id}/redeem': { token: 'v1.1.0.0', thread: 't' },
    'POST /v1/calls/{call_id}/resume': { as: 'done' },
    'POST /v1/keys': { kind: 'admin', name: 'mine' },
    'POST /v1/passphrase': { passphrase: 'a passphrase of a thief' },
    'POST /v1/pauses': { scope: 'all' },
    'POST /v1/keys/rotate': { which: 'token' },
  }
  const forbidden = [...ACCESS]
    .filter(([, access]) => access !== 'anyone' && !access.includes('agent'))
    .map(([name]) => name)
  expect(forbidden.length).toBeGreaterThan(25)
  for (const name of forbidden) {
    const [method = '', path = ''] = name.split(' ')
    const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => (parts as Record<string, string>)[part] ?? 'x')
    expect([
      name,
      await gate.http(method, filled, thief, method === 'GET' ? undefined : (bodies[name] ?? {})),
    ]).toMatchObject([name, { status: 403, body: { code: 'auth.forbidden' } }])
  }
  expect(await gate.http('GET', `/v1/approvals/${approval_id}`, of('approver'))).toMatchObject({
    body: { state: 'pending', decisions: [] },
  })
  expect(await gate.http('GET', '/v1/pauses', of('admin'))).toMatchObject({ body: { items: [] } })
  const entries = (await gate.cli('audit', 'export')).out.split('\n').filter((line) => line.includes('agent:thief'))
  const refused = entries.map(
    (line) => (JSON.parse(line) as { entry: { type: string; subject: { route?: string } } }).entry,
  )
  expect(refused.filter(({ type }) => type === 'access.refused').map(({ subject }) => subject.route)).toEqual(forbidden)
})

describe('hidden items are answered exactly like missing ones', () => {
  const MISSING = {
    approval_id: 'auth_0000000000000000',
    call_id: 'call_000000000000000000000000',
    digest: '0'.repeat(64),
  }
  let own: Record<'approval_id' | 'call_id' | 'digest', string>
  beforeAll(async () => {
    const call = (tool: string, args: object) => gate.http('POST', '/v1/calls', of('agent'), { tool, args })
    const held = (await call('book__note', { text: 'mine' })).body as Record<string, string>
    const big = (await call('book__big', { size: 200_000 })).body as { output?: { pointer?: string } }
    const digest = /[0-9a-f]{64}/.exec(big.output?.pointer ?? '')?.[0]
    if (digest === undefined) throw new Error(`no artifact: ${JSON.stringify(big)}`)
    own = { approval_id: held['approval_id'] ?? '', call_id: held['call_id'] ?? '', digest }
  })

  test('its owner can see it', async () => {
    expect(await gate.http('GET', `/v1/calls/${own.call_id}`, of('agent'))).toMatchObject({ status: 202 })
    expect(await gate.http('GET', `/v1/artifacts/${own.digest}?length=10`, of('agent'))).toMatchObject({ status: 200 })
  })

  const questions: [string, string, keyof typeof MISSING, string, unknown?][] = [
    ['a call', 'other', 'call_id', 'GET /v1/calls/{call_id}'],
    ['a call', 'stranger', 'call_id', 'GET /v1/calls/{call_id}'],
    ['a call to withdraw', 'other', 'call_id', 'POST /v1/calls/{call_id}/withdraw'],
    ['an artifact', 'other', 'digest', 'GET /v1/artifacts/{digest}'],
    ['an approval', 'stranger', 'approval_id', 'GET /v1/approvals/{approval_id}'],
    ['an approval', 'reviewer', 'approval_id', 'GET /v1/approvals/{approval_id}'],
    ['a token', 'stranger', 'approval_id', 'POST /v1/approvals/{approval_id}/token'],
    [
      'a redemption',
      'stranger',
      'approval_id',
      'POST /v1/approvals/{approval_id}/redeem',
      { token: `v1.1700000000.${'0'.repeat(16)}.${'0'.repeat(64)}`, thread: 't1' },
    ],
  ]
  test.each(questions)('%s, asked for by the %s', async (_, who, part, name, body) => {
    const [method = '', path = ''] = name.split(' ')
    const ask = async (id: string) => {
      const answer = await gate.http(method, path.replace(`{${part}}`, id), of(who), body)
      return JSON.stringify({ ...answer.body, trace_id: '' }).replaceAll(id, 'ID')
    }
    const missing = await ask(MISSING[part])
    expect(await ask(own[part])).toBe(missing)
    expect(missing).toContain('"status":404')
  })
})
