import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configure, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { receiver, type Receiver } from '../../../../test/ops/receiver.ts'

let collector: Receiver
let gate: RunningGate & { stop(): Promise<void> }
let isStopped = false
let admin = ''
let agent = ''
beforeAll(async () => {
  collector = await receiver(
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  )
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as { policy: { rules: object[] } }
    config.policy.rules.push({ id: 'heard', effect: 'allow', match: { tool: 'book__heard' }, says: 'what it received' })
    writeFileSync(join(folder, 'otlp.secret'), 'Bearer of telemetry')
    const otlp = { endpoint: `${collector.url}/`, headers: { authorization: 'file:./otlp.secret' } }
    writeFileSync(file, JSON.stringify({ ...config, telemetry: { otlp } }))
  })
  admin = await gate.key('admin', 'root')
  agent = await gate.key('agent', 'a', 'ana')
})
afterAll(async () => {
  if (!isStopped) await gate.stop()
  await collector.close()
})

async function metrics(key: string): Promise<string> {
  return (await fetch(`${gate.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text()
}
/** The value of a series, by its name and a part of its labels. */
function valueOf(text: string, name: string, labels = ''): number {
  const line = text.split('\n').find((one) => one.startsWith(name) && one.includes(labels) && !one.startsWith('#'))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

async function call(tool: string, args: object = {}): Promise<Record<string, unknown>> {
  const headers = {
    authorization: `Bearer ${agent}`,
    'content-type': 'application/json',
    traceparent: `00-${TRACE}-${PARENT}-01`,
  }
  const got = await fetch(`${gate.url}/v1/calls`, { method: 'POST', headers, body: JSON.stringify({ tool, args }) })
  return (await got.json()) as Record<string, unknown>
}

test('metrics count calls by verdict and outcome, with bounded labels and no ids', async () => {
  const before = await metrics(admin)
  const { call_id } = await call('book__look')
  await call('book__wipe', { text: 'x' })
  const held = await call('book__note', { text: 'x' })
  await gate.http('GET', '/v1/tools', 'sluice_agent_wrong')
  const after = await metrics(admin)
  const grown = (name: string, labels = '') => valueOf(after, name, labels) - (valueOf(before, name, labels) || 0)
  expect(grown('sluice_calls_total', 'verdict="allow"')).toBe(1)
  expect(grown('sluice_calls_total', 'verdict="block"')).toBe(1)
  expect(grown('sluice_calls_total', 'verdict="ask"')).toBe(1)
  expect(grown('sluice_outcomes_total', 'outcome="executed"')).toBe(1)
  expect(grown('sluice_outcomes_total', 'outcome="refused"')).toBe(1)
  expect(grown('sluice_auth_failures_total', 'code="auth.invalid"')).toBe(1)
  expect(grown('sluice_decision_seconds_count')).toBe(3)
  expect(grown('sluice_upstream_seconds_count', 'server="book"')).toBeGreaterThanOrEqual(1)
  expect(valueOf(after, 'sluice_approvals_pending')).toBe(1)
  expect(valueOf(after, 'sluice_upstream_breaker', 'server="book"')).toBe(0)
  expect(valueOf(after, 'sluice_tools', 'server="book"')).toBe(13)
  expect(grown('sluice_audit_entries')).toBe(grown('sluice_audit_appended_total'))
  for (const id of [call_id, held['approval_id'], TRACE, 'book__look']) expect(after).not.toContain(String(id))
})

test('only an admin or a node can read metrics', async () => {
  expect(await gate.http('GET', '/metrics', agent)).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } })
  expect(await gate.http('GET', '/metrics', undefined)).toMatchObject({ status: 401, body: { code: 'auth.missing' } })
  expect(await metrics(await gate.key('node', 'scraper'))).toContain('sluice_calls_total')
})

test('a tool server gets the trace id and its parent span', async () => {
  const text = JSON.stringify((await call('book__heard'))['result'])
  expect(text).toMatch(new RegExp(`traceparent[\\\\":]+00-${TRACE}-[0-9a-f]{16}-01`))
  expect(text).not.toContain(PARENT)
})

type Sent = { traceId: string; spanId: string; parentSpanId?: string; name: string }
function spansIn({ body }: { readonly body: string }): Sent[] {
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

test('a collector gets one span for a corridor with its decision, commits and call below, in the trace of the caller', async () => {
  await gate.stop()
  isStopped = true
  const posts = collector.received.filter(({ path }) => path === '/v1/traces')
  expect(posts[0]?.headers['authorization']).toBe('Bearer of telemetry')
  const spans = posts.flatMap(spansIn).filter(({ traceId }) => traceId === TRACE)
  const roots = spans.filter(({ name }) => name === 'sluice.call')
  expect(roots.length).toBeGreaterThanOrEqual(4)
  expect(new Set(roots.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([PARENT]))
  const below = spans.filter(({ parentSpanId }) => parentSpanId === roots[0]?.spanId).map(({ name }) => name)
  // The first call of a caller that names no thread opens its session too, with a separate commit.
  const commits = ['sluice.commit', 'sluice.commit', 'sluice.commit']
  expect(below.sort()).toEqual([...commits, 'sluice.decide', 'sluice.upstream'])
  expect(collector.received.some(({ path }) => path === '/v1/metrics')).toBe(true)
})
