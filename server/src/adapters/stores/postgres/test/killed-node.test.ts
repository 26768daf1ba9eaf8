import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'

const RUNS = 100
const MS = 400

/** By `npm run test:cluster`. */
describe.skipIf(!hasPostgres || !isWhole)('a node that is killed while a hundred runs are in progress', () => {
  let nodes: Nodes
  beforeAll(async () => void (nodes = await openNodes()), 60_000)
  afterAll(() => nodes.stop())

  const effects = () => (existsSync(nodes.effects) ? readFileSync(nodes.effects, 'utf8').trimEnd().split('\n') : [])

  test('loses none: the other node finishes them all, no effect happens twice, and the audit verifies', async () => {
    const one = await nodes.start()
    const other = await nodes.start()
    const agent = await one.key('agent', 'a', 'ana')
    const approver = await one.key('approver', 'bob')
    const held = await Promise.all(
      Array.from({ length: RUNS }, (_, index) =>
        one.http('POST', '/v1/calls', agent, { tool: 'book__slow_note', args: { text: `r${index}`, ms: MS } }),
      ),
    )
    expect(held.every(({ body }) => body['status'] === 'pending')).toBe(true)
    const approvals = held.map(({ body }) => one.approve(body['approval_id'], approver).catch(() => undefined))
    await vi.waitFor(() => expect(effects().length).toBeGreaterThan(5), { timeout: 60_000, interval: 5 })
    one.process.kill('SIGKILL')
    await Promise.all(approvals)
    // Requests that nobody had decided when the node died are decided on the other one.
    for (const { body } of held) await other.approve(body['approval_id'], approver)
    const states = await endsOn(
      other,
      held.map(({ body }) => String(body['call_id'])),
      agent,
    )

    const texts = effects().map((line) => /"text":"(r\d+)"/.exec(line)?.[1])
    expect(new Set(texts).size).toBe(texts.length)
    const executed = states.flatMap((status, index) => (status === 'executed' ? [`r${index}`] : []))
    for (const text of executed) expect(texts).toContain(text)
    expect(states.every((status) => status === 'executed' || status === 'unknown')).toBe(true)
    expect(executed.length).toBeGreaterThan(0)
    const { out } = await other.cli('--json', 'audit', 'verify')
    expect(JSON.parse(out), out).toMatchObject({ ok: true })
  }, 180_000)
})

/** The states in which calls end. */
async function endsOn(node: Node, calls: readonly string[], key: string): Promise<readonly unknown[]> {
  const states: unknown[] = []
  for (const call of calls) {
    await vi.waitFor(
      async () => {
        const { body } = await node.http('GET', `/v1/calls/${call}?wait_ms=5000`, key)
        const state = body['outcome'] ?? body['status']
        expect(['executed', 'unknown', 'failed', 'refused'], JSON.stringify(body)).toContain(state)
        states.push(state)
      },
      { timeout: 60_000, interval: 100 },
    )
  }
  return states
}
