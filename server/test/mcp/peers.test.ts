import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER } from '../doors/with-running-gate.ts'
import { until } from '../gate/with-gate.ts'
import { installPeers, peerFile } from '../peers/install-peers.ts'
import { sawIt, startMcpGate, type McpGate } from './with-mcp-gate.ts'

/** What these tests need of version 1 of the official SDK. */
type OldClient = {
  connect(transport: unknown): Promise<void>
  close(): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: object, schema?: undefined, options?: object): Promise<Told>
  getInstructions(): string | undefined
}
type Told = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean }
type Made<T> = new (...words: never[]) => T

const isSkipped = !(await installPeers())
let gate: McpGate
let agent = ''
let approver = ''
beforeAll(async () => {
  gate = await startMcpGate()
  agent = await gate.key('agent', 'a', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

const approve = (id: unknown) =>
  gate.http('POST', `/v1/approvals/${String(id)}/decide`, approver, { decision: 'approve' })

/** Waits until a call with this text is held, and approves it. */
async function approveWhenHeld(text: string): Promise<void> {
  let id: string | undefined
  await until(async () => {
    const { body } = await gate.http('GET', '/v1/approvals?state=pending', approver)
    const items = body['items'] as { approval_id: string }[]
    id = items.find((one) => JSON.stringify(one).includes(text))?.approval_id
    return id !== undefined
  })
  await approve(id)
}

async function fromSdk<T>(file: string, name: string): Promise<Made<T>> {
  const place = peerFile('@modelcontextprotocol/sdk/dist/esm/client', file)
  return ((await import(pathToFileURL(place).href)) as Record<string, Made<T>>)[name] as Made<T>
}

async function connect(way: 'http' | 'stdio', surface: string): Promise<OldClient> {
  const make = async <T>(file: string, name: string, ...words: unknown[]) =>
    new (await fromSdk<T>(file, name))(...(words as never[]))
  const client = await make<OldClient>('index.js', 'Client', { name: 'v1', version: '1' }, { capabilities: {} })
  const headers = { authorization: `Bearer ${agent}` }
  const args = [LAUNCHER, '--key', agent, 'mcp', '--surface', surface]
  const transport =
    way === 'http'
      ? await make(
          'streamableHttp.js',
          'StreamableHTTPClientTransport',
          new URL(`${gate.url}/mcp?surface=${surface}`),
          {
            requestInit: { headers },
          },
        )
      : await make('stdio.js', 'StdioClientTransport', { command: process.execPath, args, cwd: gate.folder })
  await client.connect(transport)
  return client
}

describe.skipIf(isSkipped).each(['http', 'stdio'] as const)('version 1 of the official SDK, %s', (way) => {
  test('lists, searches, calls, is held, learns the outcome, hears of progress and calls off', async () => {
    const [searching, passing] = await Promise.all([connect(way, 'search'), connect(way, 'passthrough')])
    expect(searching.getInstructions()).toContain('tool_search')
    expect((await passing.listTools()).tools.map(({ name }) => name)).toContain('lively__look')
    const found = await searching.callTool({ name: 'tool_search', arguments: { query: 'note' } })
    expect(found.content[0]?.text).toContain('lively__note')
    expect((await passing.callTool({ name: 'lively__look', arguments: {} })).content[0]?.text).toBe('look done')

    const text = `v1 ${way}`
    const held = await passing.callTool({ name: 'lively__note', arguments: { text } })
    expect(held).toMatchObject({ isError: false, structuredContent: { status: 'pending' } })
    await approve(held.structuredContent?.['approval_id'])
    const wait = { call_id: held.structuredContent?.['call_id'], wait_ms: 10_000 }
    const status = await searching.callTool({ name: 'call_status', arguments: wait })
    expect(status.content[0]?.text).toBe(`note done: ${text}`)

    const told: unknown[] = []
    const onprogress = (progress: unknown) => told.push(progress)
    await passing.callTool({ name: 'lively__steps', arguments: { count: 1 } }, undefined, { onprogress })
    expect(told).toEqual([{ progress: 1, total: 1, message: 'step 1' }])

    const off = new AbortController()
    const stay = passing.callTool({ name: 'lively__stay', arguments: { text } }, undefined, { signal: off.signal })
    await sawIt(gate, `stay {"text":"${text}"}`)
    off.abort()
    await expect(stay).rejects.toThrow()
    await sawIt(gate, `cancelled stay ${text}`)
    await Promise.all([searching.close(), passing.close()])
  })
})

describe.skipIf(isSkipped).each(['legacy', 'modern'])('the official inspector, %s era', (era) => {
  const inspect = (target: readonly string[], ...words: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const launcher = peerFile('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
      const own = ['--protocol-era', era, '--format', 'json', '--quiet']
      const env = { ...process.env, MCP_CATALOG_PATH: join(gate.folder, 'catalog.json') }
      const child = spawn(process.execPath, [launcher, '--cli', ...target, ...own, ...words], { cwd: gate.folder, env })
      let out = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
      child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(`${code}: ${out}`))))
    })
  const overHttp = () => {
    const header = ['--header', `Authorization: Bearer ${agent}`]
    return [`${gate.url}/mcp?surface=passthrough`, '--transport', 'http', ...header]
  }

  test('lists and calls over HTTP, sees a held call, and searches over stdio', async () => {
    const call = (tool: string, arg: string) => ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', arg]
    const text = `inspected ${era}`
    const [listed, held, found] = await Promise.all([
      inspect(overHttp(), '--method', 'tools/list'),
      inspect(overHttp(), ...call('lively__note', `text=${text}`)),
      inspect([process.execPath, LAUNCHER, 'mcp'], ...call('tool_search', 'query=note')),
      // It knows the tasks of the newer era, and goes on by itself.
      era === 'modern' ? approveWhenHeld(text) : undefined,
    ])
    expect(listed).toContain('lively__typed')
    expect(held).toMatch(era === 'modern' ? `note done: ${text}` : /"status":\s*"pending"/)
    expect(found).toContain('lively__note')
  })
})
