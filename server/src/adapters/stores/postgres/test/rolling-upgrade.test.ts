import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { copyLive } from '../../../../../test/live-files.ts'
import { startBalancer, type Balancer } from '../../../../../../scripts/cluster/balancer.ts'
import { LAUNCHER } from '../../../../../test/built/built.ts'
import { runGate } from '../../../../../test/helpers/with-running-gate.ts'
import { BOOK_TOOLS } from '../../../../../test/helpers/with-gate.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import type { Node } from '../../../../../test/helpers/with-nodes.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../../test/helpers/with-postgres.ts'

const ROOT = resolve(import.meta.dirname, '../../../../../..')
const SCHEMA = 'server/src/adapters/stores/postgres/schema.ts'
const CALLERS = 3
const LONG = { timeout: 60_000, interval: 20 }

/** The state of the project before its newest migration of the database, from its own history; undefined without one. */
function commitBefore(): string | undefined {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return git('rev-parse', `${git('log', '-1', '--follow', '--diff-filter=AM', '--format=%H', '--', SCHEMA)}^`)
  } catch {
    return undefined
  }
}

const before = commitBefore()
if (before === undefined && isWhole)
  process.stderr.write('SKIPPED: no history of this project here, so no upgrade from an earlier state was tested\n')

/** By `npm run test:cluster`: the gate as it was before the newest migration, and this one, on one database at the same time. */
describe.skipIf(!hasPostgres || !isWhole || before === undefined)('a rolling upgrade', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-upgrade-'))
  const effects = join(folder, 'effects.txt')
  const running: Node[] = []
  let balancer: Balancer | undefined
  let config = ''

  /** The earlier project, with the packages of this one. */
  function unpack(): string {
    const old = join(folder, 'earlier')
    mkdirSync(old)
    const archive = execFileSync('git', ['archive', before ?? '', 'bin', 'server', 'package.json', 'docs'], {
      cwd: ROOT,
      maxBuffer: 1 << 28,
    })
    execFileSync('tar', ['-x', '-C', old], { input: archive })
    symlinkSync(join(ROOT, 'node_modules'), join(old, 'node_modules'))
    if (existsSync(join(ROOT, 'server/node_modules')))
      symlinkSync(join(ROOT, 'server/node_modules'), join(old, 'server/node_modules'))
    return join(old, 'server/bin/sluice')
  }

  beforeAll(async () => {
    const store = { postgres: await testDatabase(), schema: freshSchema() }
    const args = [resolve(import.meta.dirname, '../../../../../test/tool-servers/effects.ts')]
    const book = { command: 'node', args, env: { EFFECTS: effects }, tools: BOOK_TOOLS }
    const rules = [{ id: 'notes', effect: 'allow', match: { tool: 'book__note_again' }, says: 'harmless' }]
    const mcp = { surface: 'passthrough' }
    config = JSON.stringify({ listen: { port: 0 }, mcp, servers: { book }, store, policy: { rules } })
  })
  afterAll(async () => {
    await balancer?.close()
    await Promise.all(running.map((node) => node.stop()))
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(launcher: string): Promise<Node> {
    const place = mkdtempSync(join(folder, 'node-'))
    writeFileSync(join(place, 'sluice.yaml'), config)
    mkdirSync(join(place, '.sluice'), { mode: 0o700 })
    const keys = join(folder, 'keys')
    if (existsSync(keys)) cpSync(keys, join(place, '.sluice', 'keys'), { recursive: true })
    const node = await runGate(place, launcher === LAUNCHER ? ['up', '--trust'] : ['up'], launcher)
    if (!existsSync(keys)) copyLive(join(place, '.sluice', 'keys'), keys)
    running.push(node)
    return node
  }

  test('the earlier nodes continue while new ones start, every call is answered and runs once, and the audit verifies', async () => {
    const earlier = unpack()
    const old = [await start(earlier), await start(earlier)]
    const [first, last] = old
    if (first === undefined || last === undefined) throw new Error('two nodes are needed')
    const agent = await first.key('agent', 'a', 'ana')
    const approver = await first.key('approver', 'bob')
    balancer = await startBalancer(old.map(({ url }) => url))
    const { url, setNodes } = balancer
    const send = async (path: string, body: object) => {
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${agent}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await answer.json()) as Record<string, unknown>
    }
    const held = await send('/v1/calls', { tool: 'book__note', args: { text: 'held by the earlier one' } })
    expect(held).toMatchObject({ status: 'pending' })
    const state = { isOver: false }
    const sent: string[] = []
    const bad: unknown[] = []
    const caller = async (name: number) => {
      for (let nth = 0; !state.isOver; nth += 1) {
        const text = `c${name}-${nth}`
        sent.push(text)
        const body = await send('/v1/calls', { tool: 'book__note_again', args: { text } })
        if (body['status'] !== 'executed') bad.push({ text, body })
      }
    }
    const callers = Array.from({ length: CALLERS }, (_, name) => caller(name))
    const more = async () => {
      const count = sent.length
      await vi.waitFor(() => expect(sent.length).toBeGreaterThan(count + 10), LONG)
    }
    // The first new node migrates under load; both releases serve for a while.
    const next = await start(LAUNCHER)
    setNodes([first.url, last.url, next.url])
    await more()
    // An earlier node that is restarted now finds a schema that is newer than it knows, and continues.
    const again = await start(earlier)
    setNodes([last.url, next.url, again.url])
    await more()
    // Calls held by one release are decided at the other.
    const both = await next.http('POST', '/v1/calls', agent, {
      tool: 'book__note',
      args: { text: 'held by the new one' },
    })
    expect((await again.approve(both.body['approval_id'], approver)).status).toBe(200)
    expect((await next.approve(held['approval_id'], approver)).status).toBe(200)
    for (const { node, id } of [
      { node: next, id: both.body['call_id'] },
      { node: again, id: held['call_id'] },
    ])
      await vi.waitFor(
        async () => expect((await node.http('GET', `/v1/calls/${String(id)}`, agent)).body['status']).toBe('executed'),
        LONG,
      )
    const newer = await start(LAUNCHER)
    setNodes([next.url, newer.url])
    for (const one of [first, last, again]) await one.stop()
    await more()
    state.isOver = true
    await Promise.all(callers)
    expect(bad).toEqual([])
    const lines = readFileSync(effects, 'utf8').trimEnd().split('\n')
    const noted = lines.flatMap((line) => /^note_again .*"text":"([^"]+)"/.exec(line)?.[1] ?? [])
    expect(noted.toSorted()).toEqual(sent.toSorted())
    for (const text of ['held by the earlier one', 'held by the new one'])
      expect(
        lines.filter((line) => line.startsWith('note {') && line.includes(text) && !line.includes('dry_run')),
      ).toHaveLength(1)
    for (const node of [next, newer]) {
      const { out } = await node.cli('--json', 'audit', 'verify')
      expect(JSON.parse(out), out).toMatchObject({ ok: true })
    }
  }, 300_000)
})
