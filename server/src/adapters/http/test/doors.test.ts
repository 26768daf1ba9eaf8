import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { run, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { someOf } from '../../../../test/some-of.ts'

type Case = { name: string; tool: string; args: object; status: string; code?: string; says?: string }
const cases = parse(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8')) as Case[]

const VERIFIER = resolve(import.meta.dirname, '../../../../../docs/verify-audit.mjs')

/** The outcome of a call at a door, in a common format. */
type Seen = { status: unknown; code: unknown; text: string }

let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let approver = ''
beforeAll(async () => {
  gate = await startGate()
  agent = await gate.key('agent', 'a', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

async function overHttp({ tool, args }: Case): Promise<Seen> {
  const { body } = await gate.http('POST', '/v1/calls', agent, { tool, args })
  return { status: body['outcome'] ?? body['status'], code: body['code'], text: JSON.stringify(body) }
}

async function overCli({ tool, args }: Case): Promise<Seen> {
  const { out } = await gate.cli('--json', '--key', agent, 'call', tool, JSON.stringify(args))
  const body = JSON.parse(out) as Record<string, unknown>
  return { status: body['outcome'] ?? body['status'], code: body['code'], text: out }
}

async function rpc(method: string, params: object): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await gate.http('POST', '/mcp', agent, { jsonrpc: '2.0', id: 1, method, params })
  return body as Record<string, Record<string, unknown>>
}

function seenInMcp(result: Record<string, unknown> | undefined): Seen {
  const details = (result?.['structuredContent'] ?? {}) as Record<string, unknown>
  const isToolsOwn = details['status'] === undefined
  const own =
    result?.['isError'] === true ? { status: 'failed', code: 'tool.failed' } : { status: 'executed', code: undefined }
  return { ...(isToolsOwn ? own : { status: details['status'], code: details['code'] }), text: JSON.stringify(result) }
}

async function overMcp({ tool, args }: Case): Promise<Seen> {
  return seenInMcp((await rpc('tools/call', { name: tool, arguments: args }))['result'])
}

async function overStdio({ tool, args }: Case): Promise<Seen> {
  const lines = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: tool, arguments: args } },
  ]
  const { out } = await run(
    gate.folder,
    ['mcp', '--agent', 'stdio'],
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  )
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result?: Record<string, unknown> })
  return seenInMcp(answers.find(({ id }) => id === 2)?.result)
}

describe.each([
  { door: 'HTTP', sendRaw: overHttp },
  { door: 'the command line', sendRaw: overCli },
  { door: 'MCP over HTTP', sendRaw: overMcp },
  { door: 'MCP over stdio', sendRaw: overStdio },
])('at $door', ({ sendRaw }) => {
  // At the last of them each case is a separate process.
  test.each(sendRaw === overStdio || sendRaw === overCli ? someOf(cases, 3) : cases)('$name', async (one) => {
    const seen = await sendRaw(one)
    expect({ status: seen.status, code: seen.code }).toEqual({ status: one.status, code: one.code })
    if (one.says !== undefined) expect(seen.text).toContain(one.says)
  })
})

describe('a whole call', () => {
  test('a held call is approved at the command line, runs, and its outcome is read over MCP', async () => {
    const held = (await rpc('tools/call', { name: 'book__note', arguments: { text: 'walk' } }))['result'] ?? {}
    const { call_id, approval_id, token } = held['structuredContent'] as Record<string, string>
    expect(token).toBeUndefined()
    expect(held['isError']).toBe(false)
    expect((await gate.cli('approvals')).out).toContain(approval_id)
    expect(await gate.cli('approve', approval_id ?? '')).toMatchObject({ code: 0 })
    const status = await rpc('tools/call', { name: 'call_status', arguments: { call_id, wait_ms: 60_000 } })
    expect(JSON.stringify(status['result'])).toContain('noted walk')
    expect(readFileSync(join(gate.folder, 'effects.txt'), 'utf8').match(/walk/g)).toHaveLength(1)
  })

  test('an edit at the command line runs the new arguments', async () => {
    const { body } = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'before' } })
    const edited = await gate.cli('--json', 'edit', String(body['approval_id']), '{"text":"after"}')
    const { approval_id } = JSON.parse(edited.out) as { approval_id: string }
    await gate.cli('approve', approval_id)
    expect(await gate.cli('status', String(body['call_id']), '--wait', '10')).toMatchObject({
      code: 0,
      out: '│ noted after\n',
    })
  })

  test('exit codes tell the outcomes apart', async () => {
    const code = async (...words: string[]) => (await gate.cli('--key', agent, ...words)).code
    expect(await code('call', 'book__look')).toBe(0)
    expect(await code('call', 'book__note', '{"text":"x"}')).toBe(2)
    expect(await code('call', 'book__wipe', '{"text":"x"}')).toBe(3)
    expect(await code('call', 'book__fails')).toBe(5)
    expect(await code('nonsense')).toBe(64)
  })

  test('the audit verifies, one entry can be proven, and the stand-alone script agrees', async () => {
    await gate.cli('audit', 'checkpoint')
    await gate.cli('call', 'book__look')
    expect(await gate.cli('audit', 'verify')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/all signed$/m) as string,
    })
    const proof = await gate.cli('audit', 'prove', '3')
    expect(JSON.parse(proof.out)).toMatchObject({ entry: { seq: 3 } })
    expect(await gate.cli('audit', 'prove', '999999')).toMatchObject({ code: 1 })
    const [key = ''] = (await gate.cli('audit', 'key')).out.split(' ')
    for (const words of [['prove', '3'], ['export'], ['export', '--since', '1h']]) {
      const file = join(gate.folder, `${words[0]}.json`)
      writeFileSync(file, (await gate.cli('audit', ...words)).out)
      const checked = (...more: string[]) => spawnSync(process.execPath, [VERIFIER, file, ...more]).status
      expect(checked('--key', key)).toBe(0)
      expect(checked()).toBe(2)
      expect(checked('--key', 'ab'.repeat(32))).toBe(1)
    }
  })
})

describe('invalid requests', () => {
  test.each([
    ['duplicate keys', '{"tool":"book__look","args":{"a":1,"a":2}}', 400, 'request.not_ijson'],
    ['not JSON', '{', 400, 'request.not_ijson'],
    ['an unknown field', '{"tool":"book__look","args":{},"sudo":true}', 400, 'request.invalid'],
    ['no tool', '{"args":{}}', 400, 'request.invalid'],
    ['a lone surrogate', '{"tool":"book__look","args":{"a":"\\ud800"}}', 400, 'request.not_ijson'],
    [
      'a number that no double can represent',
      '{"tool":"book__look","args":{"a":12345678901234567890}}',
      400,
      'request.not_ijson',
    ],
  ])('%s is refused', async (_, body, status, code) => {
    expect(await gate.http('POST', '/v1/calls', agent, body)).toMatchObject({ status, body: { code } })
  })

  test('without a key, with a wrong one, with a revoked one: 401', async () => {
    expect(await gate.http('GET', '/v1/tools', undefined)).toMatchObject({
      status: 401,
      body: { code: 'auth.missing' },
    })
    expect(await gate.http('GET', '/v1/tools', 'sluice_agent_nonsense')).toMatchObject({
      status: 401,
      body: { code: 'auth.invalid' },
    })
    const key = await gate.key('agent', 'short')
    const { body } = await gate.http('GET', '/v1/keys', await gate.key('admin', 'root'))
    const row = (body['items'] as { key_id: string; caller: { id: string } }[]).find(
      ({ caller }) => caller.id === 'agent:short',
    )
    expect(JSON.stringify(body)).not.toContain('key_hash')
    await gate.cli('keys', 'revoke', row?.key_id ?? '')
    expect(await gate.http('GET', '/v1/tools', key)).toMatchObject({ status: 401 })
  })

  test('an agent`s key gives no access to routes for approvers or admins', async () => {
    const { body } = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'x' } })
    const id = String(body['approval_id'])
    const tries: [string, string, unknown?][] = [
      ['GET', '/v1/approvals'],
      ['GET', `/v1/approvals/${id}`],
      ['POST', `/v1/approvals/${id}/decide`, { decision: 'approve', digest: 'a'.repeat(64) }],
      ['POST', `/v1/approvals/${id}/reveal`],
      ['POST', `/v1/approvals/${id}/token`],
      ['POST', `/v1/approvals/${id}/redeem`, { token: 'x', thread: 't' }],
      ['POST', `/v1/calls/${String(body['call_id'])}/resume`, { as: 'done' }],
      ['GET', '/v1/audit'],
      ['GET', '/v1/keys'],
      ['POST', '/v1/pauses', {}],
    ]
    for (const [method, path, sent] of tries)
      expect(await gate.http(method, path, agent, sent)).toMatchObject({
        status: 403,
        body: { code: 'auth.forbidden' },
      })
    expect(await gate.http('GET', `/v1/approvals/${id}`, approver)).toMatchObject({
      status: 200,
      body: { state: 'pending' },
    })
  })

  test.each([
    ['another Host', { host: 'evil.example' }, 403],
    ['a rebound Host with our port', { host: 'evil.example:7420' }, 403],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['a null Origin', { origin: 'null' }, 403],
    ['our own Origin', { origin: 'http://localhost:7420' }, 200],
  ])('%s on the network listener: %o gives %i', async (_, headers, status) => {
    const { hostname, port } = new URL(gate.url)
    const seen = await new Promise((done) => {
      request({ host: hostname, port, path: '/healthz', headers }, (answer) => done(answer.statusCode)).end()
    })
    expect(seen).toBe(status)
  })

  test('the data folder and its socket are accessible only to their owner', () => {
    expect(statSync(join(gate.folder, '.sluice')).mode & 0o077).toBe(0)
    expect(statSync(join(gate.folder, '.sluice/gate.sock')).mode & 0o077).toBe(0)
    expect(statSync(join(gate.folder, '.sluice/ledger.sqlite')).mode & 0o077).toBe(0)
  })

  test('a second gate on the same folder does not start, and says why', async () => {
    expect(await gate.cli('up')).toMatchObject({ code: 1, err: expect.stringContaining('gate.running') as string })
  })
})

describe('a call over HTTP with and without the router', () => {
  /** The router answers a content type with a parameter; the plain one is answered before it. */
  const TYPES = ['application/json', 'application/json; charset=utf-8']

  async function answersTo(key: string, body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) {
    const seen: object[] = []
    for (const type of TYPES) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': type, ...more }
      const answer = await fetch(`${gate.url}/v1/calls`, { method: 'POST', headers, body })
      const kept = ['content-type', 'www-authenticate', 'x-content-type-options', 'retry-after']
      seen.push({
        status: answer.status,
        headers: kept.map((name) => answer.headers.get(name)),
        has_trace: answer.headers.get('x-trace-id')?.length,
        body: (await answer.text()).replaceAll(VARIES, '~'),
      })
    }
    return seen
  }
  /** Ids, times and digests. */
  const VARIES =
    /(?:call|auth|run)_[0-9a-f]+|[0-9a-f]{16,}|\d{13}|\d{4}-\d\d-\d\dT[\d:.]+Z|"(?:number|position|waiting)":\d+/g

  test('gives the same answers', async () => {
    const call = (more: object) => JSON.stringify({ tool: 'book__fails', args: {}, ...more })
    const bodies = [
      ...cases.map(({ tool, args }) => JSON.stringify({ tool, args })),
      ...['', '{', 'null', '[]', '{}', '{"tool":"a","tool":"b"}', '{"tool":"\\ud800"}'].flatMap((t) => [
        t,
        `\ufeff${t}`,
      ]),
      `\ufeff${call({})}`,
      ...[{ tool: '' }, { tool: 7 }, { args: [] }, { thread: '' }, { thread: 'x'.repeat(300) }, { other: 1 }].map(call),
      ...[{ args_hash: 'x' }, { canonical_args: '{ }' }, { dry_run: 'never' }, { dry_run: 'only' }].map(call),
    ]
    for (const body of bodies) {
      const [plain, routed] = await answersTo(agent, body)
      expect(plain, body).toEqual(routed)
    }
    const [bytes, routedBytes] = await answersTo(agent, Uint8Array.from([0x22, 0xff, 0x22]))
    expect(bytes).toEqual(routedBytes)
    expect(bytes).toMatchObject({ status: 400, body: expect.stringContaining('not UTF-8') })
    for (const key of ['', 'wrong', agent.slice(0, -1)]) {
      const [plain, routed] = await answersTo(key, call({}))
      expect(plain, key).toEqual(routed)
    }
    const [plain, routed] = await answersTo(agent, call({}), { 'idempotency-key': 'x'.repeat(300) })
    expect(plain).toEqual(routed)
    const [foreign, too] = await answersTo(agent, call({}), { origin: 'https://elsewhere.example' })
    expect(foreign).toEqual(too)
  })

  test('is one call if it is repeated with a key, whichever of the two answers', async () => {
    const ids: unknown[] = []
    for (const type of [...TYPES, ...TYPES]) {
      const headers = { authorization: `Bearer ${agent}`, 'content-type': type, 'idempotency-key': 'two-ways' }
      const body = JSON.stringify({ tool: 'book__look', args: {}, thread: 'two-ways' })
      const answer = await fetch(`${gate.url}/v1/calls`, { method: 'POST', headers, body })
      const { status, call_id } = (await answer.json()) as Record<string, unknown>
      expect(status).toBe('executed')
      ids.push(call_id)
    }
    expect(new Set(ids).size).toBe(1)
  })
})
