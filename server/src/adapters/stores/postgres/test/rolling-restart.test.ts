import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startBalancer, type Balancer } from '../../../../../../scripts/cluster/balancer.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'

const CALLERS = 4

/** By `npm run test:cluster`. */
describe.skipIf(!hasPostgres || !isWhole)('nodes behind a balancer that are restarted one after the other', () => {
  let nodes: Nodes
  let balancer: Balancer
  beforeAll(async () => {
    const rules = [{ id: 'notes', effect: 'allow', match: { tool: 'book__note_again' }, says: 'harmless' }]
    nodes = await openNodes({ policy: { rules } }, undefined, undefined, 'shared')
  })
  afterAll(async () => {
    await balancer.close()
    await nodes.stop()
  })
  const effects = () => (existsSync(nodes.effects) ? readFileSync(nodes.effects, 'utf8').trimEnd().split('\n') : [])

  test('every call is answered and runs once, a held one survives, and the audit verifies', async () => {
    let running: Node[] = [await nodes.start(), await nodes.start()]
    const [first] = running
    const agent = (await first?.key('agent', 'a', 'ana')) ?? ''
    const approver = (await first?.key('approver', 'bob')) ?? ''
    balancer = await startBalancer(running.map(({ url }) => url))
    const send = async (method: string, path: string, key: string, body?: object) => {
      const answer = await fetch(`${balancer.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const held = await send('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'held' } })
    expect(held.body).toMatchObject({ status: 'pending' })

    const state = { isOver: false }
    const sent: string[] = []
    const bad: unknown[] = []
    const caller = async (name: number) => {
      for (let nth = 0; !state.isOver; nth += 1) {
        const text = `c${name}-${nth}`
        sent.push(text)
        const { status, body } = await send('POST', '/v1/calls', agent, { tool: 'book__note_again', args: { text } })
        if (body['status'] !== 'executed') bad.push({ text, status, body })
      }
    }
    const callers = Array.from({ length: CALLERS }, (_, name) => caller(name))
    for (const old of running) {
      const next = await nodes.start()
      running = [...running.filter((one) => one !== old), next]
      const before = sent.length
      balancer.setNodes([...running, old].map(({ url }) => url))
      await vi.waitFor(() => expect(sent.length).toBeGreaterThan(before + 10), { timeout: 60_000 })
      await old.stop()
      balancer.setNodes(running.map(({ url }) => url))
    }
    state.isOver = true
    await Promise.all(callers)
    expect(bad).toEqual([])
    const texts = effects().flatMap((line) => /^note_again .*"text":"([^"]+)"/.exec(line)?.[1] ?? [])
    expect(texts.toSorted()).toEqual(sent.toSorted())

    const path = `/v1/approvals/${String(held.body['approval_id'])}`
    const { digest } = (await send('GET', path, approver)).body
    expect((await send('POST', `${path}/decide`, approver, { decision: 'approve', digest })).status).toBe(200)
    await vi.waitFor(
      async () =>
        expect((await send('GET', `/v1/calls/${String(held.body['call_id'])}`, agent)).body['status']).toBe('executed'),
      { timeout: 60_000 },
    )
    // Keys are rotated on one node; the others use them, and so does one that starts with an empty folder.
    const [rotated, other] = running
    if (rotated === undefined || other === undefined) throw new Error('two nodes are needed')
    for (const key of ['token', 'checkpoint'])
      expect(await rotated.cli('keys', 'rotate', key)).toMatchObject({ code: 0 })
    const next = await nodes.start()
    balancer.setNodes([rotated.url, next.url])
    await other.stop()
    expect((await next.http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} })).body).toMatchObject({
      status: 'executed',
    })
    for (const node of [rotated, next]) {
      const { out } = await node.cli('--json', 'audit', 'verify')
      expect(JSON.parse(out), out).toMatchObject({ ok: true })
    }
  }, 240_000)
})
