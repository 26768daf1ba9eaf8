import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let agent = ''
type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean }
type Operation = {
  parameters: Parameter[]
  operationId: string
  middleware?: unknown
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}
let document: { paths: Record<string, Record<string, Operation>>; components: object }
beforeAll(async () => {
  gate = await startGate()
  admin = await gate.key('admin', 'root')
  agent = await gate.key('agent', 'a', 'ana')
  document = (await gate.http('GET', '/openapi.json', undefined)).body as typeof document
})
afterAll(() => gate.stop())

/** The schema of an answer in the document, to validate real answers. */
function fits(method: string, path: string, body: unknown, status: number | 'default' = 200): string {
  const content = document.paths[path]?.[method]?.responses[status]?.content ?? {}
  const schema = content[status === 'default' ? 'application/problem+json' : 'application/json']?.schema
  if (schema === undefined) return 'the document says nothing of this answer'
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'doc', components: document.components })
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/')
  const validate = ajv.compile(JSON.parse(text) as object)
  return validate(body) ? 'fits' : ajv.errorsText(validate.errors)
}

test('real answers of the main routes match the document', async () => {
  const call = (tool: string, args: object) => gate.http('POST', '/v1/calls', agent, { tool, args })
  const executed = await call('book__look', {})
  const held = await call('book__note', { text: 'x' })
  const blocked = await call('book__wipe', { text: 'x' })
  expect(fits('post', '/v1/calls', executed.body)).toBe('fits')
  expect([held.status, fits('post', '/v1/calls', held.body, 202)]).toEqual([202, 'fits'])
  expect(fits('post', '/v1/calls', blocked.body, 'default')).toBe('fits')
  const id = String(held.body['approval_id'])
  const reads: [path: string, at?: string][] = [
    ['/v1/approvals'],
    ['/v1/approvals/{approval_id}', `/v1/approvals/${id}`],
    ['/v1/calls/{call_id}', `/v1/calls/${String(held.body['call_id'])}`],
    ['/v1/tools'],
    ['/v1/servers'],
    ['/v1/keys'],
    ['/v1/audit'],
    ['/v1/audit/newest'],
    ['/v1/runs'],
  ]
  for (const [path, at = path] of reads) {
    const { body, status } = await gate.http('GET', at, admin)
    expect([path, fits('get', path, body, status)]).toEqual([path, 'fits'])
  }
  const runs = (await gate.http('GET', '/v1/runs?status=waiting', admin)).body['items'] as { run_id: string }[]
  expect(runs).toMatchObject([{ kind: 'held-call', status: 'waiting' }])
  const details = await gate.http('GET', `/v1/runs/${runs[0]?.run_id ?? ''}`, admin)
  expect(fits('get', '/v1/runs/{run_id}', details.body, details.status)).toBe('fits')
  const decided = await gate.http('POST', `/v1/approvals/${id}/decide`, admin, { decision: 'deny' })
  expect(fits('post', '/v1/approvals/{approval_id}/decide', decided.body)).toBe('fits')
  const paused = await gate.http('POST', '/v1/pauses', admin, { scope: 'tool:book__look' })
  expect(fits('post', '/v1/pauses', paused.body)).toBe('fits')
  expect(fits('get', '/v1/pauses', (await gate.http('GET', '/v1/pauses', admin)).body)).toBe('fits')
  const made = await gate.http('POST', '/v1/keys', admin, { kind: 'agent', name: 'made' })
  expect(fits('post', '/v1/keys', made.body, made.status)).toBe('fits')
})

/** The MCP door answers in the formats of MCP, which are not part of this document. */
const MCP = /^\S+ (?:\/mcp|\/\.well-known\/oauth-protected-resource\/mcp)$/

test('every route of the document describes its successful answer', () => {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ at: `${method} ${path}`, responses })),
  )
  const silent = all.filter(({ responses }) =>
    Object.entries(responses).every(([status, { content }]) => status === 'default' || content === undefined),
  )
  expect(silent.map(({ at }) => at).filter((at) => !MCP.test(at))).toEqual([])
})

test('real answers of the routes for approvers and admins match the document', async () => {
  const held = await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'seen' } })
  const [approval, call] = [String(held.body['approval_id']), String(held.body['call_id'])]
  const reads: [path: string, at?: string][] = [
    ['/v1/calls', '/v1/calls?limit=5'],
    ['/v1/calls/{call_id}/life', `/v1/calls/${call}/life`],
    ['/v1/overview'],
    ['/v1/attention'],
    ['/v1/consents'],
    ['/v1/login'],
    ['/v1/login/methods'],
    ['/v1/login/here'],
    ['/v1/servers'],
    ['/v1/features'],
    ['/v1/audit/keys'],
    ['/v1/audit/verify'],
    ['/v1/policies'],
    ['/v1/tools/search', '/v1/tools/search?q=note'],
    ['/v1/tools/{tool_id}', '/v1/tools/book__note'],
    ['/healthz'],
    ['/readyz'],
  ]
  for (const [path, at = path] of reads) {
    const { body, status } = await gate.http('GET', at, admin)
    expect([path, fits('get', path, body, status)]).toEqual([path, 'fits'])
  }
  const bounds = { calls: 2, expires_in_s: 60 }
  const terms = {
    actor: 'caller:agent:a',
    what: { tool: 'book__note', args: [{ path: '/text', op: 'any' }] },
    ...bounds,
  }
  const writes: [path: string, at: string, body: object][] = [
    ['/v1/approvals/{approval_id}/edit-preview', `/v1/approvals/${approval}/edit-preview`, { args: { text: 'b' } }],
    ['/v1/approvals/{approval_id}/consent-preview', `/v1/approvals/${approval}/consent-preview`, { remember: bounds }],
    ['/v1/consents/preview', '/v1/consents/preview', terms],
    ['/v1/consents', '/v1/consents', terms],
    ['/v1/login', '/v1/login', { key: admin }],
    ['/v1/policies/lint', '/v1/policies/lint', {}],
  ]
  for (const [path, at, body] of writes) {
    const answer = await gate.http('POST', at, admin, body)
    expect([path, fits('post', path, answer.body, answer.status)]).toEqual([path, 'fits'])
  }
})

test('every route of the document describes its problems', () => {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      at: `${method} ${path}`,
      problem: responses['default'],
    })),
  )
  const silent = all.filter(({ problem }) => problem?.content?.['application/problem+json'] === undefined)
  expect(silent.map(({ at }) => at)).toEqual([])
  expect(all.length).toBeGreaterThan(40)
})

test('every path parameter is declared, every operation has a unique id, and no internal name leaks', () => {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )
  for (const { path, parameters } of all) {
    const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = parameters.filter((one) => one.in === 'path' && one.required === true).map(({ name }) => name)
    expect([path, declared]).toEqual([path, parts])
  }
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length)
  expect(all.filter((operation) => operation.middleware !== undefined)).toEqual([])
})

/** Every address of the document with its method, the parts filled in. */
const addresses = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path: path.replaceAll(/\{\w+\}/g, 'nothing'),
      method: method.toUpperCase(),
      hasBody: 'requestBody' in operation,
      methods: Object.keys(methods).map((one) => one.toUpperCase()),
    })),
  )

test('a body without a JSON content type is rejected at every route with a body', async () => {
  const taking = addresses().filter(({ hasBody }) => hasBody)
  expect(taking.length).toBeGreaterThan(12)
  const node = await gate.key('node', 'edge')
  for (const { path, method } of taking)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const isForNodes = path.startsWith('/v1/hub/') && path !== '/v1/hub/key'
      const headers = { authorization: `Bearer ${isForNodes ? node : admin}`, 'content-type': type }
      const got = await fetch(`${gate.url}${path}`, { method, headers, body: '{}' })
      const { code } = (await got.json()) as { code?: string }
      expect([path, got.status, code]).toEqual([path, 415, 'request.media_type'])
    }
})

test('an unsupported method is rejected with the list of supported ones', async () => {
  for (const { path, methods } of addresses()) {
    const got = await fetch(`${gate.url}${path}`, { method: 'PUT', headers: { authorization: `Bearer ${admin}` } })
    const { code } = (await got.json()) as { code?: string }
    expect([path, got.status, code]).toEqual([path, 405, 'request.method_not_allowed'])
    const allowed = got.headers.get('allow')?.split(', ') ?? []
    expect([path, methods.filter((method) => !allowed.includes(method))]).toEqual([path, []])
  }
})

test('an unknown or repeated query parameter is rejected', async () => {
  expect(await gate.http('GET', '/v1/approvals?stat=any', admin)).toMatchObject({
    status: 400,
    body: {
      code: 'request.invalid',
      about: { paths: 'stat: unknown; known are state, tool, agent, caller, since, until, session, limit, after' },
    },
  })
  expect(await gate.http('GET', '/v1/tools?limit=1&limit=2', admin)).toMatchObject({
    body: { code: 'request.invalid', about: { paths: 'limit: given more than once' } },
  })
})
