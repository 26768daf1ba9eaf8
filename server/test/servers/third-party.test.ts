import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMCPClient } from '@ai-sdk/mcp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { connectClient, type Era, type Transport } from '../helpers/with-mcp-gate.ts'
import { logInAs } from '../../src/guests/server-logins/test/person.suite.ts'
import { startProtected, type ProtectedServer } from '../../src/guests/server-logins/test/protected-server.suite.ts'

/** Each transport and era takes a moment; all of them run with `npm run test:servers`. */
const WHOLE = process.env['THIRD_PARTY_SERVERS'] === 'whole'
const WAYS: readonly { way: Transport; era: Era }[] = [
  { way: 'http', era: 'new' },
  ...(WHOLE
    ? ([
        { way: 'http', era: 'old' },
        { way: 'stdio', era: 'new' },
        { way: 'stdio', era: 'old' },
      ] as const)
    : []),
]

const find = createRequire(import.meta.url)
const program = (name: string) =>
  join(find.resolve(`@modelcontextprotocol/server-${name}/package.json`), '../dist/index.js')

let remote: ProtectedServer
let gate: RunningGate & { stop(): Promise<void> }
let agent = ''
let files = ''
beforeAll(async () => {
  remote = await startProtected()
  gate = await startGate((folder) => {
    files = join(folder, 'files')
    mkdirSync(files)
    writeFileSync(join(files, 'small.txt'), 'a small file')
    writeFileSync(join(files, 'middle.txt'), 'middle line\n'.repeat(500))
    writeFileSync(join(files, 'large.txt'), 'large line\n'.repeat(9_000))
    const started = (name: string, more: object = {}) => ({ command: 'node', args: [program(name)], ...more })
    const servers = {
      filesystem: { command: 'node', args: [program('filesystem'), files] },
      memory: started('memory', { env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } }),
      everything: started('everything'),
      thinking: started('sequential-thinking'),
      remote: { url: remote.url },
    }
    const rules = [{ id: 'all', effect: 'allow', match: { tool: '*' }, says: 'a test of the way, not of the rules' }]
    const config = { listen: { port: 0 }, policy: { rules }, repetition: { most: 1000 }, servers }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  agent = await gate.key('agent', 'a', 'ana')
  const admin = await gate.key('admin', 'root')
  const { body } = await gate.http('POST', '/v1/servers/remote/login', admin, {})
  expect((await logInAs('anna', String(body['url']))).status).toBe(200)
  const states = async () => {
    const listed = await gate.http('GET', '/v1/servers', admin)
    return (listed.body['items'] as { state: string }[]).map(({ state }) => state)
  }
  while (!(await states()).every((state) => state === 'ready')) await sleep(50)
})
afterAll(async () => {
  await gate.stop()
  await remote.stop()
})

type ToolAnswer = {
  content: { type: string; text?: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}
const textOf = ({ content }: ToolAnswer) => content.map(({ text }) => text ?? '').join('\n')

/** One call of each server, by the name that a client sees. */
const CALLS: readonly { readonly name: string; readonly args: () => object; readonly says: RegExp }[] = [
  { name: 'filesystem__read_text_file', args: () => ({ path: join(files, 'small.txt') }), says: /a small file/ },
  { name: 'memory__read_graph', args: () => ({}), says: /entities/ },
  { name: 'everything__get-sum', args: () => ({ a: 2, b: 40 }), says: /42/ },
  {
    name: 'thinking__sequentialthinking',
    args: () => ({ thought: 'first', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }),
    says: /thoughtNumber/,
  },
  { name: 'remote__read_name', args: () => ({}), says: /anna/ },
]

describe.each(WAYS)('five servers through the official client, $way, $era era', ({ way, era }) => {
  test('every server answers under the names of its tools', async () => {
    const client = await connectClient(gate, agent, { way, era, surface: 'passthrough' })
    const { tools } = await client.listTools()
    for (const { name } of CALLS) expect(tools.map((tool) => tool.name)).toContain(name)
    for (const { name, args, says } of CALLS) {
      const result = (await client.callTool({ name, arguments: { ...args() } })) as ToolAnswer
      expect(result.isError ?? false, textOf(result)).toBe(false)
      expect(textOf(result)).toMatch(says)
    }
    await client.close()
  })

  test('a file of 6,000 characters is returned completely, and one of 99,000 is cut, with valid structured content', async () => {
    const client = await connectClient(gate, agent, { way, era, surface: 'passthrough' })
    // Then the client knows the output schemas, and throws on an answer that does not match.
    await client.listTools()
    const read = async (file: string) =>
      (await client.callTool({
        name: 'filesystem__read_text_file',
        arguments: { path: join(files, file) },
      })) as ToolAnswer
    const middle = await read('middle.txt')
    expect(middle.structuredContent).toEqual({ content: 'middle line\n'.repeat(500) })
    const large = await read('large.txt')
    expect(large.isError ?? false).toBe(false)
    const { content } = large.structuredContent as { content: string }
    expect(content).toMatch(/^large line\n[\s\S]*\[EVICTED size=99000\] See artifact:\/\/[0-9a-f]{64}$/)
    const pointer = /artifact:\/\/[0-9a-f]{64}/.exec(textOf(large))?.[0]
    const rest = (await client.callTool({ name: 'artifact_read', arguments: { pointer, from: 98_989 } })) as ToolAnswer
    expect(textOf(rest)).toContain('large line')
    await client.close()
  })
})

describe('the same servers through the client of the AI SDK', () => {
  test('every server answers', async () => {
    const client = await createMCPClient({
      transport: {
        type: 'http',
        url: `${gate.url}/mcp?surface=passthrough`,
        headers: { authorization: `Bearer ${agent}` },
      },
    })
    const tools = await client.tools()
    for (const { name, args, says } of CALLS) {
      const tool = tools[name]
      if (tool === undefined) throw new Error(`${name} is not listed`)
      const result = (await tool.execute({ ...args() }, { toolCallId: name, messages: [], context: {} })) as ToolAnswer
      expect(JSON.stringify(result)).toMatch(says)
    }
    await client.close()
  })

  test('with so many tools `auto` shows the few that find and run the others', async () => {
    const client = await createMCPClient({
      transport: { type: 'http', url: `${gate.url}/mcp`, headers: { authorization: `Bearer ${agent}` } },
    })
    const tools = await client.tools()
    expect(Object.keys(tools)).toContain('tool_search')
    expect(Object.keys(tools)).not.toContain('memory__read_graph')
    const run = tools['execute_skill_proxy']
    if (run === undefined) throw new Error('not listed')
    const input = { skill_id: 'everything__get-sum', args: { a: 1, b: 2 } }
    expect(JSON.stringify(await run.execute(input, { toolCallId: 'x', messages: [], context: {} }))).toContain('3')
    await client.close()
  })
})
