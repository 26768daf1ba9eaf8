import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../doors/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
let agent = ''
type Operation = { responses: Record<string, { content?: Record<string, { schema: object }> }> }
let document: { paths: Record<string, Record<string, Operation>>; components: object }
beforeAll(async () => {
  gate = await startGate()
  admin = await gate.key('admin', 'root')
  agent = await gate.key('agent', 'a', 'ana')
  document = (await gate.http('GET', '/openapi.json', undefined)).body as typeof document
})
afterAll(() => gate.stop())

/** What the document says of an answer, as a check of real ones. */
function fits(method: string, path: string, body: unknown, good = true): string {
  const { responses } = document.paths[path]?.[method] ?? { responses: {} }
  const content = responses[good ? '200' : 'default']?.content ?? {}
  const schema = content[good ? 'application/json' : 'application/problem+json']?.schema
  if (schema === undefined) return 'the document says nothing of this answer'
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'doc', components: document.components })
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/')
  const validate = ajv.compile(JSON.parse(text) as object)
  return validate(body) ? 'fits' : ajv.errorsText(validate.errors)
}

test('real answers of the main routes fit the document', async () => {
  const call = (tool: string, args: object) => gate.http('POST', '/v1/calls', agent, { tool, args })
  const executed = await call('book__look', {})
  const held = await call('book__note', { text: 'x' })
  const blocked = await call('book__wipe', { text: 'x' })
  expect(fits('post', '/v1/calls', executed.body)).toBe('fits')
  expect(fits('post', '/v1/calls', held.body)).toBe('fits')
  expect(fits('post', '/v1/calls', blocked.body, false)).toBe('fits')
  const id = String(held.body['approval_id'])
  const reads: [path: string, at?: string][] = [
    ['/v1/approvals'],
    ['/v1/approvals/{approval_id}', `/v1/approvals/${id}`],
    ['/v1/calls/{call_id}', `/v1/calls/${String(held.body['call_id'])}`],
    ['/v1/tools'],
    ['/v1/servers'],
    ['/v1/keys'],
    ['/v1/audit'],
    ['/v1/runs'],
  ]
  for (const [path, at = path] of reads) {
    const { body } = await gate.http('GET', at, admin)
    expect([path, fits('get', path, body)]).toEqual([path, 'fits'])
  }
  const runs = (await gate.http('GET', '/v1/runs?status=active', admin)).body['items']
  expect(runs).toMatchObject([{ kind: 'held-call', status: 'active' }])
  const decided = await gate.http('POST', `/v1/approvals/${id}/decide`, admin, { decision: 'deny' })
  expect(fits('post', '/v1/approvals/{approval_id}/decide', decided.body)).toBe('fits')
  const paused = await gate.http('POST', '/v1/pauses', admin, { scope: 'tool:book__look' })
  expect(fits('post', '/v1/pauses', paused.body)).toBe('fits')
  expect(fits('get', '/v1/pauses', (await gate.http('GET', '/v1/pauses', admin)).body)).toBe('fits')
  const made = await gate.http('POST', '/v1/keys', admin, { kind: 'agent', name: 'made' })
  expect(fits('post', '/v1/keys', made.body)).toBe('fits')
})

test('every route of the document says what a problem looks like', () => {
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
