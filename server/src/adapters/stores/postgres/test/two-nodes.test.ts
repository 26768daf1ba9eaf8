import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'
import { bookServer, openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { IS_WHOLE } from '../../../../../test/some-of.ts'

/** What the scripted model of both nodes does with a message. */
const NOTE = {
  when: '^note (\\S+)$',
  plan: ['write a note'],
  calls: [{ tool: 'book__note', args: { text: '{{1}}' } }],
  answer: 'It is noted.',
}
const VERIFIER = resolve(import.meta.dirname, '../../../../../../docs/verify-audit.mjs')
const scripts = mkdtempSync(join(tmpdir(), 'sluice-two-nodes-'))

describe.skipIf(!hasPostgres)('two nodes on one Postgres', () => {
  let nodes: Nodes
  let [one, other]: [Node?, Node?] = []
  let agent = ''
  let approver = ''
  const nodeOne = (): Node => one as Node
  const nodeTwo = (): Node => other as Node

  beforeAll(async () => {
    const script = join(scripts, 'script.yaml')
    writeFileSync(script, JSON.stringify({ rules: [NOTE] }))
    const rules = [{ id: 'again', effect: 'allow', match: { tool: 'book__note_again' }, says: 'harmless' }]
    nodes = await openNodes({ models: { script }, policy: { rules } }, undefined, (effects) => ({
      book: bookServer(effects),
      codex: { client: 'codex' },
    }))
    one = await nodes.start()
    other = await nodes.start()
    agent = await nodeOne().key('agent', 'a', 'ana')
    approver = await nodeTwo().key('approver', 'bob')
  }, 120_000)
  afterAll(async () => {
    await nodes.stop()
    rmSync(scripts, { recursive: true })
  })

  const effects = () => (existsSync(nodes.effects) ? readFileSync(nodes.effects, 'utf8').trimEnd().split('\n') : [])

  test('a key created on one node is valid on the other; a call is held on one, approved on the other, and runs once', async () => {
    const held = await nodeOne().http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'across' } })
    expect(held.body, JSON.stringify(held.body)).toMatchObject({ status: 'pending' })
    const waiting = nodeOne().http('GET', `/v1/calls/${String(held.body['call_id'])}?wait_ms=60000`, agent)
    expect((await nodeTwo().approve(held.body['approval_id'], approver)).status).toBe(200)
    expect((await waiting).body).toMatchObject({ status: 'executed' })
    expect(effects().filter((line) => line.includes('across'))).toHaveLength(1)
    expect((await nodeTwo().http('GET', `/v1/calls/${String(held.body['call_id'])}`, agent)).body).toMatchObject({
      status: 'executed',
    })
  })

  test('equal calls of a coding agent at once, on both nodes, are one request', async () => {
    const use = { client: 'codex', tool: 'Bash', args: { command: 'touch x' }, thread: 'codex:s1' }
    const judged = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        (at % 2 === 0 ? nodeOne() : nodeTwo()).http('POST', '/v1/judgements', agent, use),
      ),
    )
    const bodies = judged.map(({ body }) => body)
    expect(new Set(bodies.map((body) => body['decision']))).toEqual(new Set(['ask']))
    expect(new Set(bodies.map((body) => body['approval_id'])).size).toBe(1)
  })

  test('a thread of the agent is held on one, approved on the other, and is the same on both', async () => {
    const { body } = await nodeOne().http('POST', '/agent/run', agent, { message: 'note shared' })
    expect(body, JSON.stringify(body)).toMatchObject({ status: 'awaiting_approval' })
    const path = `/agent/runs/${String(body['run_id'])}`
    const { approval_id } = (await nodeTwo().http('GET', path, agent)).body
    expect((await nodeTwo().approve(approval_id, approver)).status).toBe(200)
    for (const node of [nodeOne(), nodeTwo()])
      await expect.poll(async () => (await node.http('GET', path, agent)).body).toMatchObject({ status: 'completed' })
    expect(effects().filter((line) => line.includes('shared'))).toHaveLength(1)
    const [here, there] = await Promise.all([nodeOne(), nodeTwo()].map((node) => node.http('GET', path, agent)))
    expect(here?.body).toEqual(there?.body)
  })

  test('a run that began on one is cancelled on the other: its request is withdrawn, and nothing runs', async () => {
    const { body } = await nodeOne().http('POST', '/agent/run', agent, { message: 'note unwanted' })
    expect(body, JSON.stringify(body)).toMatchObject({ status: 'awaiting_approval' })
    const run_id = String(body['run_id'])
    const { approval_id } = (await nodeOne().http('GET', `/agent/runs/${run_id}`, agent)).body
    const cancelled = await nodeTwo().http('POST', `/v1/runs/${run_id}/cancel`, agent, {})
    expect(cancelled.status, JSON.stringify(cancelled.body)).toBe(202)
    for (const node of [nodeOne(), nodeTwo()])
      await expect
        .poll(async () => (await node.http('GET', `/v1/runs/${run_id}`, agent)).body['status'], { timeout: 60_000 })
        .toBe('cancelled')
    expect((await nodeOne().approve(approval_id, approver)).status).not.toBe(200)
    expect(effects().filter((line) => line.includes('unwanted'))).toEqual([])
  })

  test('a pause on one stops calls on the other, and its end lets them through', async () => {
    const look = () => nodeTwo().http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} })
    expect((await look()).body).toMatchObject({ status: 'executed' })
    expect(await nodeOne().cli('pause', 'all', '--reason', 'stop')).toMatchObject({ code: 0 })
    expect((await look()).body['code']).toBe('call.blocked')
    expect(await nodeOne().cli('unpause', 'all')).toMatchObject({ code: 0 })
    expect((await look()).body).toMatchObject({ status: 'executed' })
  })

  test('a key that is revoked on one is refused on the other', async () => {
    const gone = await nodeOne().key('agent', 'leaving')
    expect((await nodeTwo().http('GET', '/v1/tools', gone)).status).toBe(200)
    const { items } = (await nodeTwo()
      .cli('--json', 'keys', 'list')
      .then(({ out }) => JSON.parse(out))) as {
      items: { key_id: string; caller: { id: string } }[]
    }
    const key_id = items.find(({ caller }) => caller.id === 'agent:leaving')?.key_id ?? ''
    expect(await nodeOne().cli('keys', 'revoke', key_id)).toMatchObject({ code: 0 })
    expect((await nodeTwo().http('GET', '/v1/tools', gone)).status).toBe(401)
  })

  test('the audit of all nodes verifies on each of them', async () => {
    for (const node of [nodeOne(), nodeTwo()]) {
      const { out } = await node.cli('--json', 'audit', 'verify')
      expect(JSON.parse(out), out).toMatchObject({ ok: true })
    }
  })

  test('an export has the entries of all nodes, also of one that goes on writing, and the stand-alone script accepts it', async () => {
    const [key = ''] = (await nodeOne().cli('audit', 'key')).out.split(' ')
    for (const since of [[], ['--since', '1h']]) {
      const [exported] = await Promise.all([
        nodeOne().cli('audit', 'export', ...since),
        ...Array.from({ length: 5 }, () =>
          nodeTwo().http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} }),
        ),
      ])
      const file = join(scripts, 'audit.jsonl')
      writeFileSync(file, exported.out)
      const checked = spawnSync(process.execPath, [VERIFIER, file, '--key', key], { encoding: 'utf8' })
      expect(checked, checked.stderr).toMatchObject({ status: 0 })
      expect(checked.stdout.match(/^  \S+: 1 to \d+$/gm)?.length).toBeGreaterThan(1)
    }
  })

  test('the database without the keys shows ids and hashes, but no arguments or outputs', async () => {
    const held = await nodeOne().http('POST', '/v1/calls', agent, {
      tool: 'book__note',
      args: { text: 'planted-9f3c' },
    })
    await nodeTwo().approve(held.body['approval_id'], approver)
    await nodeOne().http('GET', `/v1/calls/${String(held.body['call_id'])}?wait_ms=60000`, agent)
    const text = await nodes.dump()
    expect(text).toContain(String(held.body['call_id']))
    expect(text).not.toContain('planted-9f3c')
    expect(text).not.toContain('noted across')
    const read = await nodeTwo().http('GET', `/v1/calls/${String(held.body['call_id'])}`, agent)
    expect(JSON.stringify(read.body)).toContain('noted planted-9f3c')
  })

  test('doctor finds nothing wrong beside running nodes', async () => {
    const { out } = await nodeTwo().cli('--json', 'doctor')
    const { findings } = JSON.parse(out) as { findings: { severity: string; about: string; says: string }[] }
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test.skipIf(!IS_WHOLE)(
    'a schedule fires once for each of its times, whichever node does it',
    async () => {
      const file = join(scripts, 'clock.yaml')
      const document = (schedule: string) => `apiVersion: gosuto/v1
metadata: { name: clock }
trust: { allowedRooms: ["!none:test"], allowedSenders: ["@nobody:test"] }
capabilities: [{ name: book, mcp: book, tool: note_again, allow: true }]
gateways: [{ name: bell, type: cron, config: { schedule: "${schedule}" } }]
workflow:
  protocols:
    - id: bell.v1
      trigger: { type: gateway.event }
      steps: [{ type: tool, tool: book__note_again, argsTemplate: { text: "rings {{input.ts}}" } }]
`
      const apply = async (schedule: string) => {
        writeFileSync(file, document(schedule))
        expect(await nodeOne().cli('workflow', 'apply', file)).toMatchObject({ code: 0 })
      }
      const rings = () => effects().flatMap((line) => /"rings ([^"]+)"/.exec(line)?.[1] ?? [])
      await apply('@every 1s')
      await expect.poll(() => rings().length, { timeout: 60_000 }).toBeGreaterThan(3)
      await apply('@every 24h')
      const admin = await nodeOne().key('admin', 'clockmaker')
      const { items } = (await nodeTwo().http('GET', '/v1/workflows/clock/versions', admin)).body as {
        items: { version: number; at: number }[]
      }
      const since = items.find(({ version }) => version === 1)?.at ?? 0
      // A due time is fired before the next one, or left out: two firings in one second would be two for the same time.
      const times = rings().map((at) => Math.floor((Date.parse(at) - since) / 1000))
      expect(times.toSorted((one, two) => one - two)).toEqual([...new Set(times)].toSorted((one, two) => one - two))
    },
    120_000,
  )
})
