import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configure, run, runGate } from '../../../../test/helpers/with-running-gate.ts'
import { effectsIn, until } from '../../../../test/helpers/with-gate.ts'
import { connectClient } from '../../../../test/helpers/with-mcp-gate.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { startProxy, type Between } from './tampering-proxy.suite.ts'
import { kill, type Gate } from './with-hub.suite.ts'

const MINUTE = 60_000

describe('a hub and a node that are run by their commands', () => {
  const hubFolder = mkdtempSync(join(tmpdir(), 'sluice-hub-'))
  const nodeFolder = mkdtempSync(join(tmpdir(), 'sluice-node-'))
  let hub: Gate
  let node: Gate
  /** The hub has the same address after every restart. */
  let between: Between
  let agent = ''
  const keys: string[] = []

  const startHub = async () => {
    hub = await runGate(hubFolder)
    between.lead(hub.url)
  }
  const startNode = async () => {
    const words = ['node', '--trust', '--hub', between.url, '--name', 'edge-1', '--node-key', 'file:node.key']
    node = await runGate(nodeFolder, [...words, '--public-key', ...keys])
  }
  /** The rows of a table that a command prints, without its head. */
  const rows = async (gate: Gate, ...words: readonly string[]) => {
    const { code, out } = await gate.cli(...words)
    expect(code).toBe(0)
    return out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s{2,}/))
  }
  const publicKey = async (state: string) => (await rows(hub, 'hub', 'key')).find((row) => row[1] === state)?.[2] ?? ''

  beforeAll(async () => {
    writeFileSync(join(hubFolder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 } }))
    configure(nodeFolder)
    const file = join(nodeFolder, 'sluice.yaml')
    const written = JSON.parse(readFileSync(file, 'utf8')) as { servers: object }
    const servers = { ...written.servers, 'claude-code': { client: 'claude-code' } }
    writeFileSync(file, JSON.stringify({ ...written, servers }))
    between = await startProxy('http://127.0.0.1:9')
    await startHub()
    writeFileSync(join(nodeFolder, 'node.key'), await hub.key('node', 'edge-1'))
    keys.push(await publicKey('active'))
    await startNode()
    agent = await node.key('agent', 'writer', 'ana')
  }, MINUTE)
  afterAll(async () => {
    await Promise.all([node.stop(), hub.stop()])
    await between.close()
    for (const folder of [hubFolder, nodeFolder]) rmSync(folder, { recursive: true, force: true })
  })

  const hold = async (text: string) => {
    const held = await node.cli('--json', 'call', 'book__note', JSON.stringify({ text }))
    return JSON.parse(held.out) as { call_id: string; approval_id: string; hub: string; url: string }
  }
  const atHub = async (text: string): Promise<string> => {
    let id: string | undefined
    await until(async () => {
      const { out } = await hub.cli('--json', 'approvals')
      const { items } = JSON.parse(out) as { items: { approval_id: string; proposed_args: string }[] }
      id = items.find(({ proposed_args }) => proposed_args.includes(`"${text}"`))?.approval_id
      return id !== undefined
    })
    return id ?? ''
  }
  const becomes = (call_id: string, status: string) =>
    until(async () => (await node.cli('--json', 'status', call_id)).out.includes(`"${status}"`))
  const wrote = (text: string) => effectsIn(nodeFolder).filter((line) => line.includes(text)).length

  test(
    'the node is listed with its waiting calls, and every door of the node says that the hub decides',
    async () => {
      // The node is seen although nothing waits.
      await until(async () => (await rows(hub, 'hub', 'nodes'))[0]?.[2] !== 'not since the hub started')
      expect(await rows(hub, 'hub', 'nodes')).toMatchObject([['edge-1', 'enrolled', expect.anything(), '0']])
      const printed = await node.cli('call', 'book__note', '{"text":"who decides"}')
      expect(printed.out).toContain(`at the hub ${between.url}, not here`)
      expect(printed.out).not.toContain('sluice approve')
      const id = await atHub('who decides')
      expect(printed.out).toContain(`${between.url}/#/approvals/${id}`)
      await until(async () => (await rows(hub, 'hub', 'nodes'))[0]?.[3] === '1')

      expect((await node.cli('approvals')).out).toContain(`the hub ${between.url} decides, not this gate`)
      const http = await node.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'over http' } })
      expect(http.body).toMatchObject({ status: 'pending', hub: between.url })
      const hook = { client: 'claude-code', tool: 'Write', thread: 't', args: { file_path: '/tmp/x', content: 'y' } }
      const judged = await node.http('POST', '/v1/judgements', agent, { ...hook, wait_ms: 0 })
      expect(judged.body).toMatchObject({ hub: between.url, reason: expect.stringContaining('The hub ') as string })
      const client = await connectClient(node, agent, { way: 'http', era: 'old', surface: 'passthrough' })
      const answer = await client.callTool({ name: 'book__note', arguments: { text: 'over mcp' } })
      await client.close()
      expect(JSON.stringify(answer.content)).toContain(`decided at the hub ${between.url}`)
      expect(answer).toMatchObject({ structuredContent: { hub: between.url } })
    },
    MINUTE,
  )

  test(
    'a call held at the node is approved by a command at the hub and executed once, even if both are restarted',
    async () => {
      const held = await hold('over restarts')
      const id = await atHub('over restarts')
      await kill(hub)
      await startHub()
      await kill(node)
      const shown = await hub.cli('approvals', id)
      expect(shown.out).toContain('edge-1/book__note')
      expect((await hub.cli('approve', id)).code).toBe(0)
      await startNode()
      await becomes(held.call_id, 'executed')
      expect(wrote('over restarts')).toBe(1)
      await until(async () => (await hub.cli('approvals', id)).out.includes('consumed'))
      for (const gate of [hub, node]) expect((await gate.cli('audit', 'verify')).code).toBe(0)
    },
    2 * MINUTE,
  )

  test.skipIf(!IS_WHOLE)(
    'a command in the folder of a node that is not running does not start a gate that decides by itself',
    async () => {
      const { approval_id, call_id } = await hold('nobody decides here')
      await kill(node)
      const tried = await node.cli('approve', approval_id)
      expect(tried.code).not.toBe(0)
      expect(tried.err).toContain('sluice node')
      await startNode()
      const denied = await hub.cli('deny', await atHub('nobody decides here'), '--reason', 'not today')
      expect(denied.code).toBe(0)
      await becomes(call_id, 'approval.denied')
      expect(wrote('nobody decides here')).toBe(0)
    },
    2 * MINUTE,
  )

  test.skipIf(!IS_WHOLE)(
    'the hub`s key is rotated in two steps, without a refused call',
    async () => {
      expect((await hub.cli('hub', 'rotate')).err).toContain('hub.no_next_key')
      expect((await hub.cli('hub', 'rotate', '--prepare')).code).toBe(0)
      keys.push(await publicKey('next'))
      await kill(node)
      await startNode()
      expect((await hub.cli('hub', 'rotate')).code).toBe(0)
      expect(await publicKey('active')).toBe(keys[1])
      keys.shift()
      await kill(node)
      await startNode()
      const { call_id } = await hold('with the new key')
      expect((await hub.cli('approve', await atHub('with the new key'))).code).toBe(0)
      await becomes(call_id, 'executed')
      expect(wrote('with the new key')).toBe(1)
    },
    2 * MINUTE,
  )

  test.skipIf(!IS_WHOLE)(
    'a node without a hub, a name, a key or a public key does not start, and says what is missing',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sluice-node-'))
      configure(folder)
      const none = await run(folder, ['node', '--trust'])
      expect(none.code).not.toBe(0)
      expect(none.err + none.out).toContain('hub')
      const short = ['node', '--trust', '--hub', between.url, '--name', 'edge-2', '--node-key', 'env:ABSENT_KEY']
      for (const [more, says] of [
        [[], 'public_keys'],
        [['--public-key', 'xyz'], 'public_keys'],
        [['--public-key', 'ab'.repeat(32)], 'hub.key'],
      ] as const) {
        const ran = await run(folder, [...short, ...more])
        expect(ran.code).not.toBe(0)
        expect(ran.err + ran.out).toContain(says)
      }
      rmSync(folder, { recursive: true, force: true })
    },
    MINUTE,
  )
})
