import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configure, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { AGENT, openTestGate, until } from '../helpers/with-gate.ts'
import { listenTo } from './listen-to.ts'
import { isGoneRoute } from '../this-build.ts'

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let agent = ''
beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as { policy: { rules: object[] } }
    config.policy.rules.push({ id: 'slow', effect: 'allow', match: { tool: 'book__slow_note' }, says: 'waits' })
    writeFileSync(file, JSON.stringify(config))
  })
  admin = await gate.key('admin', 'root')
  agent = await gate.key('agent', 'a', 'ana')
})
afterAll(() => gate.stop())

type Got = { readonly status: number; readonly replayed: boolean; readonly body: Record<string, unknown> }
async function post(path: string, body: unknown, key?: string, as = admin): Promise<Got> {
  const headers = {
    authorization: `Bearer ${as}`,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const got = await fetch(`${gate.url}${path}`, { method: 'POST', headers, ...text })
  const replayed = got.headers.get('idempotency-replayed') === 'true'
  return { status: got.status, replayed, body: (await got.json()) as Record<string, unknown> }
}
const keysCalled = async (name: string) =>
  ((await gate.http('GET', '/v1/keys', admin)).body['items'] as { caller: { id: string } }[]).filter(
    ({ caller }) => caller.id === `agent:${name}`,
  ).length

describe('an idempotency key', () => {
  test('gives a repeated request the first answer, and it is executed once', async () => {
    const body = { kind: 'agent', name: 'twice' }
    const first = await post('/v1/keys', body, 'k1')
    const second = await post('/v1/keys', body, 'k1')
    expect(first).toMatchObject({ status: 201, replayed: false })
    expect(second).toEqual({ ...first, replayed: true })
    expect(await keysCalled('twice')).toBe(1)
  })

  test('of two concurrent requests is executed once, and both get its answer', async () => {
    const body = { kind: 'agent', name: 'atonce' }
    const [one, other] = await Promise.all([post('/v1/keys', body, 'k2'), post('/v1/keys', body, 'k2')])
    expect(one.body).toEqual(other.body)
    expect(await keysCalled('atonce')).toBe(1)
  })

  test('belongs to one request of one caller', async () => {
    await post('/v1/pauses', { active: false }, 'k3')
    expect(await post('/v1/pauses', { active: false, reason: 'x' }, 'k3')).toMatchObject({
      status: 409,
      body: { code: 'request.key_reused' },
    })
    expect(await post('/v1/audit/checkpoint', undefined, 'k3')).toMatchObject({ body: { code: 'request.key_reused' } })
    const other = await gate.key('admin', 'other')
    expect(await post('/v1/pauses', { active: false, reason: 'x' }, 'k3', other)).toMatchObject({ status: 200 })
  })

  test('is not used up by a request that was rejected before anything was done', async () => {
    expect(await post('/v1/keys', { kind: 'agent' }, 'k4')).toMatchObject({ body: { code: 'request.invalid' } })
    expect(await post('/v1/keys', { kind: 'agent', name: 'later' }, 'k4')).toMatchObject({ status: 201 })
  })

  test.each(['', 'a b', 'x'.repeat(201)])('that is invalid (%j) is rejected', async (key) => {
    for (const [path, body] of [
      ['/v1/pauses', { active: false }],
      ['/v1/calls', { tool: 'book__look' }],
    ] as const)
      expect(await post(path, body, key)).toMatchObject({ status: 400, body: { code: 'request.invalid' } })
  })

  test('stays used after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-keys-'))
    const first = await openTestGate(folder)
    expect(await first.gate.identity.claimKey(AGENT, 'k')).toEqual({ ok: true, value: 'first' })
    await first.opened.close()
    const second = await openTestGate(folder)
    expect(await second.gate.identity.claimKey(AGENT, 'k')).toEqual({ ok: true, value: 'taken' })
    expect(await second.gate.identity.claimKey({ ...AGENT, id: 'agent:b' }, 'k')).toEqual({ ok: true, value: 'first' })
    await second.opened.close()
    rmSync(folder, { recursive: true, force: true })
  })
})

describe('a list', () => {
  test.each([
    { path: '/v1/audit', id: 'seq' },
    { path: '/v1/keys', id: 'key_id' },
    { path: '/v1/tools', id: 'tool_id' },
  ])('the pages of $path contain all items, each once', async ({ path, id }) => {
    const whole = (await gate.http('GET', `${path}?limit=200`, admin)).body['items'] as Record<string, unknown>[]
    const joined: unknown[] = []
    let next: unknown = 0
    while (typeof next === 'number') {
      const { body } = await gate.http('GET', `${path}?limit=3&after=${next}`, admin)
      joined.push(...(body['items'] as Record<string, unknown>[]).map((item) => item[id]))
      ;({ next } = body)
    }
    expect(joined.slice(0, whole.length)).toEqual(whole.map((item) => item[id]))
  })

  const LISTS = ['/v1/audit', '/v1/approvals?state=any', '/v1/consents', '/v1/tools', '/v1/keys', '/v1/calls']
  test.each(LISTS.filter((path) => !isGoneRoute(`GET ${path}`)))(
    '%s rejects an invalid cursor and an invalid limit',
    async (path) => {
      const join = path.includes('?') ? '&' : '?'
      expect(await gate.http('GET', `${path}${join}after=x`, admin)).toMatchObject({
        status: 400,
        body: { code: 'request.bad_cursor' },
      })
      expect(await gate.http('GET', `${path}${join}limit=-1`, admin)).toMatchObject({
        status: 400,
        body: { code: 'request.invalid', about: { paths: 'limit: not a whole number' } },
      })
    },
  )
})

test('every problem has its code, title, detail, about and trace id, under the trace that was given', async () => {
  const trace = 'ab'.repeat(16)
  const headers = { traceparent: `00-${trace}-${'cd'.repeat(8)}-01` }
  for (const path of ['/v1/tools', '/nowhere', '/v1/audit']) {
    const got = await fetch(`${gate.url}${path}`, { headers })
    expect(got.headers.get('content-type')).toBe('application/problem+json')
    const { code, title, detail, about, trace_id } = (await got.json()) as Record<string, unknown>
    expect([typeof code, typeof title, typeof detail, typeof about]).toEqual(['string', 'string', 'string', 'object'])
    expect(trace_id).toBe(trace)
  }
})

// This test is last, because it stops the gate.
test('a gate that is stopping says so, ends its streams with a final event and answers running requests', async () => {
  const stream = await listenTo(`${gate.url}/v1/stream`, agent)
  const args = { text: 'last', until: 'released' }
  const slow = post('/v1/calls', { tool: 'book__slow_note', args }, undefined, agent)
  const held = post('/v1/calls?wait_ms=60000', { tool: 'book__note', args: { text: 'held' } }, undefined, agent)
  let seen = await stream.next('call')
  while (seen.data['state'] !== 'executing') seen = await stream.next('call')
  await until(() => stream.events.some(({ data }) => data['state'] === 'pending'))
  const exit = new Promise((done) => gate.process.once('exit', done))
  gate.process.kill('SIGTERM')
  expect((await stream.next('goodbye')).data).toEqual({ reason: 'stopping' })
  expect(await gate.http('GET', '/readyz', undefined)).toMatchObject({ status: 503, body: { code: 'gate.stopping' } })
  expect(await held).toMatchObject({ status: 202, body: { status: 'pending' } })
  // Until now the running call has kept the gate from ending.
  writeFileSync(join(gate.folder, 'effects.txt.go'), '')
  expect(await slow).toMatchObject({ status: 200, body: { status: 'executed' } })
  await stream.ended
  expect(await exit).toBe(0)
})
