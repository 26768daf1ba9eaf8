import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect } from '../connect.ts'
import { runGate } from '../../../../../test/helpers/with-running-gate.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../../../../test/helpers/with-redis.ts'

const PATIENCE = { timeout: 60_000, interval: 50 }
const LIMIT = 7

async function withClient<T>({ postgres, schema }: Nodes, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect({ url: postgres, schema }, 'test')
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Copies every table, and returns how to put the copies back: a restored backup, without any of the gate's own commands. */
async function backUp(nodes: Nodes): Promise<() => Promise<void>> {
  const copies = `${nodes.schema}_copy`
  const tables = await withClient(nodes, async (client) => {
    const found = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 AND table_type = 'BASE TABLE'`,
      [nodes.schema],
    )
    const names = found.rows.map(({ name }) => name)
    await client.query(`CREATE SCHEMA ${copies}`)
    for (const name of names) await client.query(`CREATE TABLE ${copies}.${name} AS TABLE ${nodes.schema}.${name}`)
    return names
  })
  return () =>
    withClient(nodes, async (client) => {
      await client.query('BEGIN')
      await client.query(`TRUNCATE ${tables.map((name) => `${nodes.schema}.${name}`).join(', ')}`)
      for (const name of tables)
        await client.query(
          `INSERT INTO ${nodes.schema}.${name} OVERRIDING SYSTEM VALUE SELECT * FROM ${copies}.${name}`,
        )
      await client.query('COMMIT')
    })
}

const WAYS = [...(hasRedis ? ['with Redis'] : []), 'without Redis'] as const

/** By `npm run test:cluster`. */
describe.skipIf(!hasPostgres || !isWhole).each(WAYS)('three nodes on one Postgres, %s', (way) => {
  const scripts = mkdtempSync(join(tmpdir(), 'sluice-below-'))
  let redis: TestRedis | undefined
  let nodes: Nodes
  let all: readonly Node[] = []
  let [agent, admin] = ['', '']
  const nodeAt = (index: number): Node => all[index % all.length] as Node
  const effects = () => (existsSync(nodes.effects) ? readFileSync(nodes.effects, 'utf8').trimEnd().split('\n') : [])
  const note = (node: Node, text: string) =>
    node.http('POST', '/v1/calls', agent, { tool: 'book__note_again', args: { text } })

  beforeAll(async () => {
    const script = join(scripts, 'script.yaml')
    const calls = [{ tool: 'book__slow_note', args: { text: '{{1}}', ms: 3_600_000 } }]
    const rule = { when: '^note (\\S+) slowly$', plan: ['write a note'], calls, answer: 'It is noted.' }
    writeFileSync(script, JSON.stringify({ rules: [rule] }))
    const rules = ['book__note_again', 'book__slow_note', 'book__look'].map((tool) => ({
      id: tool,
      effect: 'allow',
      match: { tool },
      says: 'harmless',
    }))
    const budgets = [{ id: 'notes', match: { tool: 'book__look' }, calls: LIMIT, per: 'day' }]
    redis = way === 'with Redis' ? await startRedis() : undefined
    nodes = await openNodes({ models: { script }, policy: { rules }, budgets }, redis?.url)
    all = [await nodes.start(), ...(await Promise.all([nodes.start(), nodes.start()]))]
    agent = await nodeAt(0).key('agent', 'a', 'ana')
    admin = await nodeAt(0).key('admin', 'root')
  }, 180_000)
  afterAll(async () => {
    await nodes.stop()
    await redis?.stop()
    rmSync(scripts, { recursive: true })
  })

  test('a rate limit is exact: of calls that race on all nodes as many run as it allows, and the others get 429', async () => {
    const look = (index: number) => nodeAt(index).http('POST', '/v1/calls', agent, { tool: 'book__look', args: {} })
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => look(index)))
    const codes = answers.map(({ status, body }) => `${status} ${String(body['code'] ?? body['status'])}`)
    expect(codes.filter((one) => one === '200 executed')).toHaveLength(LIMIT)
    expect(codes.filter((one) => one === '429 call.over_budget')).toHaveLength(30 - LIMIT)
  }, 120_000)

  test('a run is cancelled on another node while its tool works: it ends, the outcome is unknown, and nothing runs twice', async () => {
    const started = nodeAt(0).http('POST', '/agent/run', agent, { message: 'note cancelled slowly' })
    const slow = () => effects().filter((line) => line.startsWith('slow_note') && line.includes('cancelled'))
    await vi.waitFor(() => expect(slow()).toHaveLength(1), PATIENCE)
    const runs = await nodeAt(1).http('GET', '/agent/threads', agent)
    const [thread] = runs.body['items'] as readonly { run_id: string }[]
    const cancelled = await nodeAt(1).http('POST', `/v1/runs/${thread?.run_id}/cancel`, agent, {})
    expect(cancelled.status, JSON.stringify(cancelled.body)).toBe(202)
    // The tool never answers, so the run can only end because the node that makes the call was told.
    for (const node of all)
      await vi.waitFor(async () => {
        const { body } = await node.http('GET', `/v1/runs/${thread?.run_id}`, agent)
        expect(body['status']).toBe('cancelled')
      }, PATIENCE)
    expect((await started).body).toMatchObject({ status: 'cancelled' })
    const unknown = await nodeAt(2).http('GET', '/v1/calls?state=unknown', admin)
    const items = unknown.body['items'] as readonly { call_id: string; tool_id: string; state: string }[]
    expect(items, JSON.stringify(unknown.body)).toMatchObject([{ tool_id: 'book__slow_note', state: 'unknown' }])
    expect(slow()).toHaveLength(1)
  }, 180_000)

  test('a database that is restored from a backup below running nodes is reported as broken, and all of them refuse calls', async () => {
    expect((await note(nodeAt(0), 'before')).body).toMatchObject({ status: 'executed' })
    const restore = await backUp(nodes)
    for (const node of all) expect((await note(node, `lost ${node.url}`)).body).toMatchObject({ status: 'executed' })
    await restore()
    for (const node of all) {
      await vi.waitFor(async () => {
        const { status, body } = await note(node, `after ${node.url}`)
        expect([status, body['code']], JSON.stringify(body)).toEqual([409, 'audit.broken'])
      }, PATIENCE)
    }
    const before = effects().length
    for (const node of all)
      expect((await note(node, `refused ${node.url}`)).body).toMatchObject({ code: 'audit.broken' })
    expect(effects()).toHaveLength(before)
    const verified = await nodeAt(1).cli('audit', 'verify')
    expect(verified.code, verified.out).not.toBe(0)
    expect((await nodeAt(2).cli('doctor')).out).toContain('audit')
  }, 180_000)
})

describe.skipIf(!hasPostgres || !isWhole)('nodes that share their keys', () => {
  let nodes: Nodes
  let [one, other]: readonly [Node?, Node?] = []
  let agent = ''
  let call_id = ''
  const keyFile = (node: Node | undefined, name: string) =>
    readFileSync(join(node?.folder ?? '', '.sluice', 'keys', name), 'utf8')
  const keysOf = (node: Node | undefined) =>
    ['token-keys.json', 'checkpoint-keys.json', 'seal-key.json'].map((name) => keyFile(node, name))

  beforeAll(async () => {
    const rules = [{ id: 'again', effect: 'allow', match: { tool: 'book__note_again' }, says: 'harmless' }]
    nodes = await openNodes({ policy: { rules } }, undefined, undefined, 'shared')
    one = await nodes.start()
    other = await nodes.start()
    agent = await one.key('agent', 'a', 'ana')
    const made = await one.http('POST', '/v1/calls', agent, { tool: 'book__note_again', args: { text: 'sealed' } })
    call_id = String(made.body['call_id'])
  }, 180_000)
  afterAll(() => nodes.stop())

  test('a rotation that loses the database in the middle fails and changes nothing, and the next one succeeds', async () => {
    const before = keysOf(one)
    // The session that stores the new keys ends in the middle of its statement.
    await withClient(nodes, (client) =>
      client.query(`CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END';
        CREATE TRIGGER end_session BEFORE INSERT OR UPDATE ON keyring FOR EACH ROW EXECUTE FUNCTION end_session()`),
    )
    const failed = await one?.cli('keys', 'rotate', 'token')
    await withClient(nodes, (client) => client.query('DROP TRIGGER end_session ON keyring'))
    expect(failed?.code, failed?.out).not.toBe(0)
    expect(failed?.err).not.toBe('')
    expect(keysOf(one)).toEqual(before)
    expect(keysOf(other)).toEqual(before)
    await vi.waitFor(async () => expect(await one?.cli('keys', 'rotate', 'token')).toMatchObject({ code: 0 }), PATIENCE)
    await vi.waitFor(() => expect(keysOf(other)).toEqual(keysOf(one)), PATIENCE)
    expect(keysOf(one)).not.toEqual(before)
  }, 180_000)

  test('the secret is changed as the documentation says: no key and no sealed text is lost, and new nodes join', async () => {
    const before = keysOf(one)
    await other?.stop()
    // Its folder is kept, with the keys.
    const ended = once(one?.process as ChildProcess, 'exit')
    one?.process.kill('SIGTERM')
    await ended
    await withClient(nodes, (client) => client.query('DELETE FROM keyring'))
    writeFileSync(nodes.secret, randomBytes(32).toString('hex'), { mode: 0o600 })
    const again = await runGate(one?.folder ?? '')
    try {
      const joined = await nodes.start()
      expect(keysOf(joined)).toEqual(before)
      for (const node of [again, joined]) {
        const { status, body } = await node.http('GET', `/v1/calls/${call_id}`, agent)
        expect(status, JSON.stringify(body)).toBe(200)
        expect(JSON.stringify(body)).toContain('noted')
        const { out } = await node.cli('--json', 'audit', 'verify')
        expect(JSON.parse(out), out).toMatchObject({ ok: true })
      }
      expect(await joined.cli('keys', 'rotate', 'checkpoint')).toMatchObject({ code: 0 })
    } finally {
      await again.stop()
    }
  }, 180_000)
})
