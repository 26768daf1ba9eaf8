import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LAUNCHER } from '../../../../test/built/built.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { installPeers, peerFile } from '../../../../test/peers/install-peers.ts'
import { answerIn } from '../../../../test/helpers/answer-in.ts'
import { someOf } from '../../../../test/some-of.ts'
import { connectClient, waitForLine, startMcpGate, type McpGate } from '../../../../test/helpers/with-mcp-gate.ts'

/** The parts of version 1 of the official SDK that these tests need. */
type OldClient = {
  connect(transport: unknown): Promise<void>
  close(): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: object, schema?: undefined, options?: object): Promise<ToolAnswer>
  getInstructions(): string | undefined
  readonly experimental: {
    readonly tasks: {
      callToolStream(call: object): AsyncGenerator<TaskMessage>
      getTask(id: string): Promise<{ status: string }>
      getTaskResult(id: string, schema: unknown): Promise<ToolAnswer>
      listTasks(): Promise<{ tasks: { taskId: string }[] }>
      cancelTask(id: string): Promise<{ status: string }>
    }
  }
}
type TaskMessage = { type: string; task?: { taskId: string; status: string }; result?: ToolAnswer; error?: Error }
type ToolAnswer = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean }
type Made<T> = new (...words: never[]) => T

const isSkipped = !(await installPeers())
let gate: McpGate
let agent = ''
let approver = ''
beforeAll(async () => {
  gate = await startMcpGate({ mcp: { surface: 'search' } })
  agent = await gate.key('agent', 'a', 'ana')
  approver = await gate.key('approver', 'bob')
})
afterAll(() => gate.stop())

const approve = (id: unknown) => gate.approve(id, approver)

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

describe.skipIf(isSkipped).each(someOf(['stdio', 'http'] as const, 2))('version 1 of the official SDK, %s', (way) => {
  test('lists, searches, calls, waits for an approval, reads the outcome, gets progress and cancels', async () => {
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
    const wait = { call_id: held.structuredContent?.['call_id'], wait_ms: 60_000 }
    const status = await searching.callTool({ name: 'call_status', arguments: wait })
    expect(status.content[0]?.text).toBe(`note done: ${text}`)

    const reported: unknown[] = []
    const onprogress = (progress: unknown) => reported.push(progress)
    await passing.callTool({ name: 'lively__steps', arguments: { count: 1 } }, undefined, { onprogress })
    expect(reported).toEqual([{ progress: 1, total: 1, message: 'step 1' }])

    const off = new AbortController()
    const stay = passing.callTool({ name: 'lively__stay', arguments: { text } }, undefined, { signal: off.signal })
    await waitForLine(gate, `stay {"text":"${text}"}`)
    off.abort()
    await expect(stay).rejects.toThrow()
    await waitForLine(gate, `cancelled stay ${text}`)
    await Promise.all([searching.close(), passing.close()])
  })
})

describe.skipIf(isSkipped).each(someOf(['http', 'stdio'] as const, 2))(
  'tasks of version 1 of the official SDK, %s',
  (way) => {
    test('a call continues by itself after a person has decided, and ends when it is cancelled', async () => {
      const client = await connect(way, 'search')
      await client.listTools()
      const { tasks } = client.experimental
      const note = (text: string) =>
        tasks.callToolStream({ name: 'execute_skill_proxy', arguments: { skill_id: 'lively__note', args: { text } } })

      const text = `v1 task ${way}`
      const messages: TaskMessage[] = []
      const [, taskId] = await Promise.all([
        approveWhenHeld(text),
        (async () => {
          for await (const message of note(text)) messages.push(message)
          return messages[0]?.task?.taskId ?? 'none'
        })(),
      ])
      expect(messages[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working' } })
      expect(messages.at(-1)?.result?.content[0]?.text).toBe(`note done: ${text}`)
      expect(await tasks.getTask(taskId)).toMatchObject({ status: 'completed' })
      const schema = await fromSdk('../types.js', 'CallToolResultSchema')
      expect((await tasks.getTaskResult(taskId, schema)).content[0]?.text).toBe(`note done: ${text}`)
      expect((await tasks.listTasks()).tasks.map((task) => task.taskId)).toContain(taskId)
      await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 })

      const unwanted = note(`${text} unwanted`)
      const { value: first } = (await unwanted.next()) as { value: TaskMessage }
      await tasks.cancelTask(first.task?.taskId ?? '')
      const rest: TaskMessage[] = []
      for await (const message of unwanted) rest.push(message)
      expect(rest.at(-1)?.error?.message).toContain('was cancelled')
      expect(gate.seen().filter((line) => line.includes(text))).toHaveLength(1)
      await client.close()
    })
  },
)

/** What these tests need of the official client for tasks. */
type TaskSession = {
  callTool(name: string, args: object, options: object): Promise<TaskExecution>
  close(): Promise<void>
}
type TaskExecution = {
  readonly kind: string
  settle(): Promise<{ outcome: unknown }>
  cancel(): Promise<void>
}

const WITH_TASKS = [
  { way: 'http', era: 'new' },
  { way: 'http', era: 'old' },
  { way: 'stdio', era: 'old' },
] as const
describe.skipIf(isSkipped).each(someOf(WITH_TASKS, 3))(
  'tasks of version 2 of the official SDK, $way, $era era',
  ({ way, era }) => {
    /** The SDK's own transport does not support the new tasks, so their client needs another transport. */
    const raw = async ({ method, params }: { method: string; params: Record<string, unknown> }) => {
      const named = params['name'] ?? params['taskId']
      const answer = await fetch(`${gate.url}/mcp?surface=passthrough`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${agent}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const { result, error } = answerIn(await answer.text())
      return error === undefined ? { kind: 'result', result } : { kind: 'error', error }
    }

    test('a call continues by itself after a person has decided, and is cancelled in the tool server', async () => {
      const client = await connectClient(gate, agent, { way, era, surface: 'passthrough' })
      const file = peerFile('@modelcontextprotocol/ext-tasks/dist/client/index.js')
      const peer = (await import(pathToFileURL(file).href)) as {
        createTaskSessionFromClient(client: unknown, options: object): TaskSession
        toolDeclarationFromMcpTool(tool: unknown): unknown
      }
      const { tools } = await client.listTools()
      /** Before 2026-07-28 the client requests a task, for a tool that allows tasks. */
      const wish = (tool: string) => {
        const declaration = peer.toolDeclarationFromMcpTool(tools.find(({ name }) => name === tool))
        return era === 'old' ? { declaration, task: { preference: 'require' } } : {}
      }
      const v2RequestFraming = {
        protocolVersion: '2026-07-28',
        clientInfo: { name: 'test', version: '1' },
        clientCapabilities: {},
      }
      const modern = era === 'new' ? { rawDispatch: raw, v2RequestFraming } : {}
      const session = peer.createTaskSessionFromClient(client, { endpointId: 'gate', ...modern })
      const text = `v2 task ${way} ${era}`
      const execution = await session.callTool('lively__note', { text }, wish('lively__note'))
      expect(execution.kind).toBe('task')
      await approveWhenHeld(text)
      expect(JSON.stringify((await execution.settle()).outcome)).toContain(`note done: ${text}`)

      const staying = await session.callTool('lively__stay', { text }, wish('lively__stay'))
      await waitForLine(gate, `stay {"text":"${text}"}`)
      await staying.cancel()
      await waitForLine(gate, `cancelled stay ${text}`)
      expect(JSON.stringify((await staying.settle()).outcome)).toContain('cancelled')
      await session.close()
      await client.close()
    })
  },
)

describe.skipIf(isSkipped).each(someOf(['modern', 'legacy'], 2))('the official inspector, %s era', (era) => {
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
      // It supports tasks since 2026-07-28, and continues by itself.
      era === 'modern' ? approveWhenHeld(text) : undefined,
    ])
    expect(listed).toContain('lively__typed')
    expect(held).toMatch(era === 'modern' ? `note done: ${text}` : /"status":\s*"pending"/)
    expect(found).toContain('lively__note')
  })
})
