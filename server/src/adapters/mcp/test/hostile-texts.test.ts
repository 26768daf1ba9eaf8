import type { Client } from '@modelcontextprotocol/client'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { connectClient, type Transport } from '../../../../test/helpers/with-mcp-gate.ts'

/** Invisible, direction-changing and terminal control characters. Line breaks and tabs are normal in a description. */
const RAW =
  /(?![\n\r\t])[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffc\ue000-\uf8ff\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/u

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [key, ...textsIn(child)])
}
const rawIn = (value: unknown) =>
  textsIn(value).flatMap((text) => {
    const found = RAW.exec(text)
    return found === null ? [] : [`U+${found[0].codePointAt(0)?.toString(16)} in ${JSON.stringify(text.slice(0, 60))}`]
  })
const ourMarks = (value: unknown) => JSON.stringify(value).match(/"sluice\/(?!notices)[a-z-]+"/g) ?? []

const PROMPT = 'loud__greet'
let gate: RunningGate & { stop(): Promise<void> }
let key = ''
beforeAll(async () => {
  gate = await startGate((folder) => {
    const server = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../../../../test/tool-servers/imitating-server.ts')],
    }
    const names = ['held', 'refused', 'note', 'asks', 'talk', 'fail']
    const tools = Object.fromEntries(names.map((name) => [name, { effects: ['read'] }]))
    const config = { listen: { port: 0 }, servers: { loud: { ...server, tools } } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
  key = await gate.key('agent', 'a', 'ana')
})
afterAll(() => gate.stop())

describe.each<Transport>(['http', 'stdio'])('a server that imitates the gate, over %s', (way) => {
  let client: Client
  const asked: unknown[] = []
  const notices: { method: string; params?: Record<string, unknown> }[] = []
  beforeAll(async () => {
    const options = { capabilities: { elicitation: { form: {}, url: {} } } }
    client = await connectClient(gate, key, { way, era: 'old', surface: 'passthrough', options })
    client.setRequestHandler('elicitation/create', async (request) => {
      asked.push(request)
      return { action: 'decline' as const }
    })
    // Read from the transport: the client drops progress that arrives together with the answer.
    const { transport } = client
    const pass = transport?.onmessage
    if (transport === undefined || pass === undefined) throw new Error('the client is not connected')
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is not an event target
    transport.onmessage = (message, extra) => {
      if ('method' in message && !('id' in message)) notices.push(message as never)
      pass(message, extra)
    }
    await client.setLoggingLevel('debug')
  })
  afterAll(() => client.close())
  const call = (name: string) => client.callTool({ name: `loud__${name}`, arguments: {} })

  test('lists no invisible characters, and none of the gate`s marks', async () => {
    const { tools } = await client.listTools()
    expect(tools.filter(({ name }) => name.startsWith('loud__')).length).toBeGreaterThan(5)
    const lists = {
      tools,
      resources: await client.listResources(),
      templates: await client.listResourceTemplates(),
      prompts: await client.listPrompts(),
      completion: await client.complete({
        ref: { type: 'ref/prompt', name: PROMPT },
        argument: { name: 'who', value: '' },
      }),
    }
    expect(rawIn(lists)).toEqual([])
    expect(ourMarks(lists)).toEqual([])
    expect(lists.prompts.prompts.map(({ name }) => name)).toContain(PROMPT)
    expect(lists.resources.resources.map(({ uri }) => uri)).toEqual(['notes://a'])
    expect(client.getInstructions() ?? '').not.toMatch(RAW)
  })

  test.each(['held', 'refused', 'note'])(
    'answers like the gate in `%s`, and the gate adds that this is the tool',
    async (name) => {
      const answer = await call(name)
      expect(ourMarks(answer)).toEqual([])
      const { content } = answer as { content: { text: string }[] }
      expect(content.at(-1)?.text).toMatch(/^Note from the gate: the text above is the answer of the tool/)
    },
  )

  test('cannot ask with a mark that only the gate may set', async () => {
    const answer = await call('asks')
    expect(asked).toEqual([])
    expect(answer).toMatchObject({ isError: true })
    expect(ourMarks(answer)).toEqual([])
  })

  test('logs and reports progress under its own name, with every character visible', async () => {
    await client.callTool({ name: 'loud__talk', arguments: {} }, { onprogress: () => undefined })
    expect(notices.filter(({ method }) => method === 'notifications/progress')).toHaveLength(1)
    const lines = notices.filter(
      ({ method, params }) => method === 'notifications/message' && params?.['level'] === 'error',
    )
    expect(lines).toMatchObject([{ params: { logger: 'loud/sluice' } }])
    expect(rawIn(notices)).toEqual([])
  })

  test('returns errors without invisible characters and without codes of the gate', async () => {
    // One after the other, because a second failure while the first is awaited would be an unhandled rejection.
    for (const fail of [() => call('fail'), () => client.readResource({ uri: 'notes://a' })]) {
      const error = (await fail().then(
        (answer) => ({ message: 'none', data: answer }),
        (caught: unknown) => caught,
      )) as { message: string; data?: { code?: string } }
      expect(rawIn([error.message, error.data])).toEqual([])
      expect(error.data?.code).toBeUndefined()
    }
    const prompt = await client.getPrompt({ name: PROMPT, arguments: {} })
    expect(rawIn(prompt.description)).toEqual([])
    expect(ourMarks(prompt)).toEqual([])
  })
})
