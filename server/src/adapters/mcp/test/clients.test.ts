import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endsOf } from '../../../../test/some-of.ts'
import {
  connectClient,
  waitForLine,
  startMcpGate,
  type Era,
  type McpGate,
  type Surface,
  type Transport,
} from '../../../../test/helpers/with-mcp-gate.ts'

let gate: McpGate
let agent = ''
beforeAll(async () => {
  gate = await startMcpGate()
  agent = await gate.key('agent', 'a', 'ana')
})
afterAll(() => gate.stop())

type ToolAnswer = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean }

const CASES: readonly { readonly way: Transport; readonly era: Era }[] = [
  { way: 'http', era: 'old' },
  { way: 'http', era: 'new' },
  { way: 'stdio', era: 'old' },
  { way: 'stdio', era: 'new' },
]

/** Each transport and each era once; the requests themselves are tested in every version in door.test.ts. */
describe.each(endsOf(CASES))('a client of the official SDK, $way, $era era', ({ way, era }) => {
  const clients = new Map<Surface, Client>()
  beforeAll(async () => {
    for (const surface of ['search', 'passthrough'] as const)
      clients.set(surface, await connectClient(gate, agent, { way, era, surface }))
  })
  afterAll(() => Promise.all([...clients.values()].map((client) => client.close())))
  const on = (surface: Surface): Client => {
    const client = clients.get(surface)
    if (client === undefined) throw new Error('not connected')
    return client
  }
  const call = async (surface: Surface, name: string, args: Record<string, unknown> = {}) =>
    (await on(surface).callTool({ name, arguments: args })) as ToolAnswer

  test('sees the same few tools on the search surface, and every tool on the passthrough surface', async () => {
    const searched = (await on('search').listTools()).tools.map(({ name }) => name)
    expect(searched).toContain('execute_skill_proxy')
    expect(searched.some((name) => name.includes('__'))).toBe(false)
    const passed = (await on('passthrough').listTools()).tools.map(({ name }) => name)
    expect(passed).toEqual(expect.arrayContaining(['call_status', 'artifact_grep', 'lively__look', 'lively__typed']))
    expect(passed).not.toContain('execute_skill_proxy')
  })

  test('finds a tool by what it does, reads its card and learns how to call it', async () => {
    const found = await call('search', 'tool_search', { query: 'take a note', top_k: 3 })
    const [first] = JSON.parse(found.content[0]?.text ?? '[]') as { skill_id: string }[]
    expect(first?.skill_id).toBe('lively__note')
    const card = await call('search', 'get_skill_card', { skill_id: 'lively__note' })
    expect(JSON.parse(card.content[0]?.text ?? '{}')).toMatchObject({ skill_id: 'lively__note', effects: ['write'] })
  })

  test('runs a read on either surface', async () => {
    expect((await call('passthrough', 'lively__look')).content[0]?.text).toBe('look done')
    const proxied = await call('search', 'execute_skill_proxy', { skill_id: 'lively__look', args: {} })
    expect(proxied.content[0]?.text).toBe('look done')
  })

  test('a held call is answered at once, runs after its approval, and its outcome can be read repeatedly', async () => {
    const text = `${way} ${era}`
    const held = await call('search', 'execute_skill_proxy', { skill_id: 'lively__note', args: { text } })
    expect(held).toMatchObject({ isError: false, structuredContent: { status: 'pending' } })
    expect(held.content[0]?.text).toMatch(/held for approval.*call_status/)
    const { call_id, approval_id, url, expires_at } = held.structuredContent ?? {}
    expect(url).toContain(String(approval_id))
    expect(expires_at).toBeGreaterThan(0)
    expect(JSON.stringify(held)).not.toMatch(/token/i)
    expect(await gate.cli('approve', String(approval_id))).toMatchObject({ code: 0 })
    for (const wait_ms of [10_000, 0]) {
      const status = await call('passthrough', 'call_status', { call_id, wait_ms })
      expect(status.content[0]?.text).toBe(`note done: ${text}`)
    }
    expect(gate.seen().filter((line) => line.includes(`"${text}"`))).toHaveLength(1)
  })

  test('a held tool with an output schema answers as an error without structured content, and _meta has the details', async () => {
    const held = (await on('passthrough').callTool({
      name: 'lively__typed',
      arguments: { text: 'x' },
    })) as ToolAnswer & {
      _meta?: Record<string, Record<string, unknown>>
    }
    expect(held.isError).toBe(true)
    expect(held.structuredContent).toBeUndefined()
    expect(held._meta?.['sluice/outcome']).toMatchObject({ status: 'pending' })
  })

  test('gets progress messages under its own token', async () => {
    const reported: unknown[] = []
    const result = (await on('passthrough').callTool(
      { name: 'lively__steps', arguments: { count: 1 } },
      { onprogress: (progress) => reported.push(progress) },
    )) as ToolAnswer
    expect(result.content[0]?.text).toBe('steps done')
    expect(reported).toEqual([{ progress: 1, total: 1, message: 'step 1' }])
  })

  test('a cancelled call is cancelled in the tool server', async () => {
    const text = `${way} ${era}`
    const off = new AbortController()
    const under_way = on('passthrough').callTool({ name: 'lively__stay', arguments: { text } }, { signal: off.signal })
    await waitForLine(gate, `stay {"text":"${text}"}`)
    off.abort()
    await expect(under_way).rejects.toThrow()
    await waitForLine(gate, `cancelled stay ${text}`)
  })

  test('reads and searches an output that was too large for an answer', async () => {
    const big = await call('passthrough', 'lively__big')
    const pointer = /artifact:\/\/[0-9a-f]{64}/.exec(big.content[0]?.text ?? '')?.[0] ?? ''
    const found = await call('passthrough', 'artifact_grep', { pointer, pattern: 'needle \\d+', regexp: true })
    expect(found.content[0]?.text).toBe('line 20001, from 80000: the needle 4711')
    const read = await call('search', 'artifact_read', { pointer, from: 80_000, length: 15 })
    expect(read.content.map(({ text }) => text)).toEqual([
      'the needle 4711',
      '[characters 80000 to 80015 of 160016; continue with from=80015]',
    ])
  })
})
