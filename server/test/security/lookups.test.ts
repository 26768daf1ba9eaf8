import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCESS } from '../../../scripts/app-without-gate.ts'
import { configure, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { listenTo, modern, rpc, sendRaw } from '../helpers/send-raw.ts'

/**
 * What one credential began, looked up with others. An agent may hold several keys of one name: the smaller of them gets nothing through the
 * name. Every route, MCP method and own tool that an agent may use is either in this table or in the list of those that look nothing up.
 */
const GRANTS = { speaks_for_user: true, flow_role: 'editor', calls: 1_000_000 }
/** The name, user and grant of each key. */
const KEYS = {
  maker: ['claude', 'ana', GRANTS],
  equal: ['claude', 'ana', GRANTS],
  smaller: ['claude', 'ana', { tools: ['book__echo'], calls: 5 }],
  'fewer tools': ['claude', 'ana', { ...GRANTS, tools: ['book__echo'] }],
  'fewer calls': ['claude', 'ana', { ...GRANTS, calls: 999_999 }],
  unheard: ['claude', 'ana', { ...GRANTS, speaks_for_user: undefined }],
  'lesser role': ['claude', 'ana', { ...GRANTS, flow_role: 'viewer' }],
  'one vault': ['claude', 'ana', { ...GRANTS, vault: 'x' }],
  'other agent': ['helper', 'ana', {}],
  'other user': ['claude', 'bob', {}],
  'limited person': ['ana', 'ana', { kind: 'user', tools: ['book__echo'] }],
  'other person': ['bob', 'bob', { kind: 'user' }],
  revoked: ['claude', 'ana', GRANTS],
} as const
type Actor = keyof typeof KEYS
const OTHERS = (Object.keys(KEYS) as Actor[]).filter((actor) => actor !== 'maker' && actor !== 'equal')
/** An artifact belongs to its user: a key that may use its tools reads it, whichever of the user's agents made it. */
const OF_THE_USER: readonly Actor[] = ['fewer calls', 'unheard', 'lesser role', 'one vault', 'other agent']

let gate: RunningGate & { stop(): Promise<void> }
const keys = new Map<Actor, string>()
const of = (actor: Actor): string => keys.get(actor) ?? ''

const SCRIPT = {
  rules: [
    { when: '^big$', plan: ['Look'], calls: [{ tool: 'book__big', args: { size: 20 } }], answer: 'SECRET: {{result}}' },
    {
      when: '^echo (.*)$',
      plan: ['Say it'],
      calls: [{ tool: 'book__echo', args: { text: '{{1}}' } }],
      answer: '{{result}}',
    },
  ],
}

beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...config, models: { script: './script.yaml' } }))
    writeFileSync(join(folder, 'script.yaml'), JSON.stringify(SCRIPT))
  })
  const admin = await gate.key('admin', 'root', 'root')
  for (const [actor, [name, user, grant]] of Object.entries(KEYS)) {
    const { body } = await gate.http('POST', '/v1/keys', admin, { kind: 'agent', name, user, ...grant })
    keys.set(actor as Actor, String(body['key']))
    if (actor === 'revoked') await gate.http('DELETE', `/v1/keys/${String(body['key_id'])}`, admin)
  }
})
afterAll(() => gate.stop())

const get = async (key: string, path: string) => (await sendRaw(gate, key, { method: 'GET', path })).text
const post = async (key: string, path: string, body: object = {}, headers: Record<string, string> = {}) =>
  (await sendRaw(gate, key, { path, body, headers: { accept: 'application/json', ...headers } })).text
const ownTool = async (key: string, name: string, args: object) =>
  (await sendRaw(gate, key, modern('tools/call', { name, arguments: args }))).text
const fieldsOf = (text: string) => JSON.parse(text) as Record<string, string>
const KEYED = { 'idempotency-key': 'mine' }
const KEYED_ECHO = { 'idempotency-key': 'echo' }
const OLD = { 'mcp-protocol-version': '2025-11-25' }
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** What the maker began. */
const began = {
  call: async (key: string) => fieldsOf(await post(key, '/v1/calls', { tool: 'book__big', args: { size: 9 } }, KEYED)),
  held: async (key: string) =>
    fieldsOf(await post(key, '/v1/calls', { tool: 'book__note', args: { text: crypto.randomUUID() } })),
  artifact: async (key: string) =>
    /artifact:\/\/([0-9a-f]{64})/.exec(
      await post(key, '/v1/calls', { tool: 'book__big', args: { size: 60_000 } }),
    )?.[1] ?? '',
  thread: async (key: string) => fieldsOf(await post(key, '/agent/run', { message: 'big', idempotency_key: 'thread' })),
  flow: async (key: string) =>
    fieldsOf(
      await post(
        key,
        '/v1/toolflow?wait_ms=60000',
        { user_prompt: 'look SECRET', args: {} },
        { 'idempotency-key': 'flow' },
      ),
    ),
  task: async (key: string) => {
    const params = { name: 'book__note', arguments: { text: crypto.randomUUID() } }
    return /call_[0-9a-z]+/.exec((await sendRaw(gate, key, modern('tools/call', params, TASKS))).text)?.[0] ?? ''
  },
  session: async (key: string) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
    const { headers } = await sendRaw(gate, key, { body: rpc('initialize', params) })
    return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
  },
}

/** A lookup of something that `maker` began: the answer, and what only somebody who found it reads in it. */
type Lookup = {
  readonly finds: RegExp
  readonly look: (key: string, maker: string) => Promise<string>
  /** Who else may: documented in docs/operate/keys-and-people.md. */
  readonly shared?: readonly Actor[]
}

const ofThread = (finds: RegExp, look: (key: string, of: Record<string, string>) => Promise<string>): Lookup => ({
  finds,
  look: async (key, maker) => look(key, await began.thread(maker)),
})
const ofTask = (method: string, finds: RegExp): Lookup => ({
  finds,
  look: async (key, maker) => {
    const taskId = await began.task(maker)
    return (await sendRaw(gate, key, modern(method, { taskId }, TASKS))).text
  },
})

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  'POST /v1/calls': {
    finds: /call_/,
    look: async (key, maker) => {
      // A key that may use the tool, too, so that only the grants differ.
      const ask = async (who: string) =>
        fieldsOf(await post(who, '/v1/calls', { tool: 'book__echo', args: { text: 'SECRET' } }, KEYED_ECHO))
      const first = await ask(maker)
      const again = await ask(key)
      return again['call_id'] === first['call_id'] ? JSON.stringify(again) : ''
    },
  },
  'GET /v1/calls/{call_id}': {
    finds: /executed/,
    look: async (key, maker) => get(key, `/v1/calls/${(await began.call(maker))['call_id']}`),
  },
  'GET /v1/calls/by-key/{idempotency_key}': {
    finds: /executed/,
    look: async (key, maker) => (await began.call(maker), get(key, '/v1/calls/by-key/mine')),
  },
  'POST /v1/calls/{call_id}/withdraw': {
    finds: /withdrawn/,
    look: async (key, maker) => post(key, `/v1/calls/${(await began.held(maker))['call_id']}/withdraw`),
  },
  'GET /v1/artifacts/{digest}': {
    finds: /xxxxx/,
    look: async (key, maker) => get(key, `/v1/artifacts/${await began.artifact(maker)}?length=20`),
    shared: OF_THE_USER,
  },
  'GET /agent/threads': ofThread(/thread_/, (key) => get(key, '/agent/threads')),
  'GET /agent/threads/{thread_id}': ofThread(/SECRET/, (key, { thread_id }) => get(key, `/agent/threads/${thread_id}`)),
  'POST /agent/threads/{thread_id}/cancel': ofThread(/SECRET/, (key, { thread_id }) =>
    post(key, `/agent/threads/${thread_id}/cancel`),
  ),
  'GET /agent/runs/{run_id}': ofThread(/SECRET/, (key, { run_id }) => get(key, `/agent/runs/${run_id}`)),
  'GET /v1/runs': ofThread(/run_/, (key) => get(key, '/v1/runs')),
  'GET /v1/runs/{run_id}': ofThread(/agent/, (key, { run_id }) => get(key, `/v1/runs/${run_id}`)),
  'GET /agent/runs/{run_id}/events': {
    finds: /SECRET/,
    look: async (key, maker) => {
      const path = `/agent/runs/${(await began.thread(maker))['run_id']}/events`
      const stream = listenTo(gate, key, { path })
      if ((await stream.opened) === 200) await expect.poll(() => JSON.stringify(stream.messages)).toContain('SECRET')
      stream.close()
      return JSON.stringify(stream.messages)
    },
  },
  'POST /agent/run': {
    finds: /you said again/,
    look: async (key, maker) =>
      post(key, '/agent/run', { message: 'echo again', thread_id: (await began.thread(maker))['thread_id'] }),
  },
  'POST /chat': {
    finds: /SECRET/,
    look: async (key, maker) => (
      await began.thread(maker),
      post(key, '/chat', { message: 'big', idempotency_key: 'thread' })
    ),
  },
  'POST /v1/runs/{run_id}/cancel': {
    finds: /run.ended/,
    look: async (key, maker) => post(key, `/v1/runs/${(await began.flow(maker))['run_id']}/cancel`),
  },
  'POST /v1/runs/{run_id}/cancel, of a held call': {
    finds: /"kind":"held-call"/,
    look: async (key, maker) => {
      await began.held(maker)
      const [run_id] = /run_[0-9a-f]{16}/.exec(await get(maker, '/v1/runs?kind=held-call&limit=1')) ?? []
      return post(key, `/v1/runs/${run_id}/cancel`)
    },
  },
  'POST /v1/toolflow': {
    finds: /SECRET|"run_id":"run_/,
    look: async (key, maker) => {
      const first = await began.flow(maker)
      const again = await began.flow(key)
      return again['run_id'] === first['run_id'] ? JSON.stringify(again) : 'another'
    },
  },
  'GET /v1/toolflow/{run_id}': {
    finds: /"status":"[A-Z]+"/,
    look: async (key, maker) => get(key, `/v1/toolflow/${(await began.flow(maker))['run_id']}`),
  },
  'GET /v1/toolflow/by-key/{idempotency_key}': {
    finds: /run_/,
    look: async (key, maker) => {
      const { run_id = '' } = await began.flow(maker)
      const { run_id: found } = fieldsOf(await get(key, '/v1/toolflow/by-key/flow'))
      return found === run_id ? run_id : ''
    },
  },
  'GET /v1/stream': {
    finds: /call_/,
    look: async (key, maker) => {
      const stream = listenTo(gate, key, { path: '/v1/stream?kinds=call' })
      const own = listenTo(gate, maker, { path: '/v1/stream?kinds=call' })
      await Promise.all([stream.opened, own.opened])
      const { call_id = '' } = await began.held(maker)
      await expect.poll(() => JSON.stringify(own.messages)).toContain(call_id)
      // Both are notified in the same turn; what follows shows that this stream is past it.
      if ((await stream.opened) === 200) {
        const text = crypto.randomUUID()
        const { call_id: mine = '' } = fieldsOf(await post(key, '/v1/calls', { tool: 'book__echo', args: { text } }))
        await expect.poll(() => JSON.stringify(stream.messages)).toContain(mine)
      }
      for (const one of [stream, own]) one.close()
      return stream.messages.some((message) => message['call_id'] === call_id) ? call_id : ''
    },
  },
  'POST /mcp': {
    finds: /"result"/,
    look: async (key, maker) => {
      const { text } = await sendRaw(gate, key, { headers: await began.session(maker), body: rpc('ping') })
      return text
    },
  },
  'GET /mcp': {
    finds: /200/,
    look: async (key, maker) => {
      const stream = listenTo(gate, key, { headers: await began.session(maker) })
      const status = await stream.opened
      stream.close()
      return String(status)
    },
  },
  'DELETE /mcp': {
    finds: /20[04]/,
    look: async (key, maker) =>
      String((await sendRaw(gate, key, { method: 'DELETE', headers: await began.session(maker) })).status),
  },
  'own tool call_status': {
    finds: /xxxxxxxxx/,
    look: async (key, maker) => ownTool(key, 'call_status', { call_id: (await began.call(maker))['call_id'] }),
  },
  'own tool artifact_read': {
    finds: /xxxxx/,
    look: async (key, maker) => ownTool(key, 'artifact_read', { pointer: `artifact://${await began.artifact(maker)}` }),
    shared: OF_THE_USER,
  },
  'own tool artifact_grep': {
    finds: /xxxxx/,
    look: async (key, maker) =>
      ownTool(key, 'artifact_grep', { pointer: `artifact://${await began.artifact(maker)}`, pattern: 'xxx' }),
    shared: OF_THE_USER,
  },
  'method tasks/get': ofTask('tasks/get', /"taskId"/),
  'method tasks/update': ofTask('tasks/update', /"result"/),
  'method tasks/cancel': ofTask('tasks/cancel', /"result"/),
  'method tasks/list': {
    finds: /call_/,
    look: async (key, maker) => {
      const taskId = await began.task(maker)
      const { text } = await sendRaw(gate, key, { headers: OLD, body: rpc('tasks/list') })
      return text.includes(taskId) ? taskId : ''
    },
  },
  'method tasks/result': {
    finds: /"result"/,
    look: async (key, maker) => {
      const taskId = await began.task(maker)
      await post(maker, `/v1/calls/${taskId}/withdraw`)
      return (await sendRaw(gate, key, { headers: OLD, body: rpc('tasks/result', { taskId }) })).text
    },
  },
  'method subscriptions/listen': {
    finds: /"taskIds"/,
    look: async (key, maker) => {
      const wanted = { notifications: { taskIds: [await began.task(maker)] } }
      const stream = listenTo(gate, key, { method: 'POST', ...modern('subscriptions/listen', wanted, TASKS) })
      if ((await stream.opened) === 200)
        await expect.poll(() => stream.messages.length + Number(stream.isOver())).toBeGreaterThan(0)
      stream.close()
      return JSON.stringify(stream.messages)
    },
  },
}

/** Routes that an agent may use and that find nothing by whose it is, each with the reason. */
const NOT_BY_CALLER: Readonly<Record<string, string>> = {
  'POST /v1/judgements': 'a new call of the client',
  'POST /v1/judgements/outcomes': 'of the call that was judged in this session, by its arguments',
  'POST /v1/judgements/words': 'adds words to a session',
  'GET /v1/pauses': 'the same for everybody',
  'GET /v1/tools': 'by grant',
  'GET /v1/tools/{tool_id}': 'by grant',
  'GET /v1/tools/search': 'by grant',
  'GET /api/v1/flows': 'by scope and vault',
  'GET /api/v1/flows/{flow_id}': 'by scope and vault',
  'GET /api/v1/flows/runs': 'by scope and vault',
  'GET /api/v1/flows/runs/{run_id}': 'by scope and vault',
  'GET /api/v1/flows/runs/{run_id}/checklist': 'by scope and vault',
  'GET /v1/proposals': 'by scope and vault',
  'GET /v1/proposals/{proposal_id}': 'by scope and vault',
  'GET /v1/workflow-runs/{run_id}': 'by `maySeeRun`, like GET /v1/runs/{run_id}',
}
/** Changes of flow runs have a table of their own: server/src/guests/flows/test/who-may-change.test.ts. */
const isFlowChange = (route: string) => route.startsWith('POST /api/v1/flows/')
/** Methods that read nothing which a caller made: lists, definitions, and what servers offer, which is judged like a call. */
const METHODS_WITHOUT_LOOKUP =
  /^(?:(?:tools|resources|resources\/templates|prompts)\/list|resources\/(?:read|subscribe|unsubscribe)|prompts\/get|completion\/complete|logging\/setLevel|server\/discover|tools\/call|elicitation\/create)$/
const OWN_TOOLS_WITHOUT_LOOKUP = ['tool_search', 'get_skill_card', 'execute_skill_proxy', 'flow_run']

test('every route that an agent may use is in this table, or in the list of those that look nothing up', () => {
  const usable = [...ACCESS]
    .filter(([, access]) => access !== 'anyone' && access.includes('agent'))
    .map(([name]) => name)
  const missing = usable.filter(
    (name) => LOOKUPS[name] === undefined && NOT_BY_CALLER[name] === undefined && !isFlowChange(name),
  )
  expect(missing).toEqual([])
  expect(Object.keys(NOT_BY_CALLER).filter((name) => !usable.includes(name))).toEqual([])
})

test('every tool of the gate itself is in this table, or looks nothing up', async () => {
  const { text } = await sendRaw(gate, of('maker'), {
    path: '/mcp?surface=search',
    headers: { 'mcp-protocol-version': '2025-11-25' },
    body: rpc('tools/list'),
  })
  const names = [...text.matchAll(/"name":"([a-z_]+)"/g)].map(([, name = '']) => name)
  expect(names).toContain('call_status')
  const missing = names.filter(
    (name) => LOOKUPS[`own tool ${name}`] === undefined && !OWN_TOOLS_WITHOUT_LOOKUP.includes(name),
  )
  expect(missing).toEqual([])
})

test('every method of the MCP door is in this table, or looks nothing up', () => {
  const door = join(import.meta.dirname, '../../src/adapters/mcp')
  const text = readdirSync(door, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|suite)\.ts$/.test(file))
    .map((file) => readFileSync(join(door, file), 'utf8'))
    .join('\n')
  const methods = new Set([...text.matchAll(/'([a-z]+(?:\/[a-zA-Z]+)+)'/g)].map(([, name = '']) => name))
  const named = [...methods].filter((name) => !/^(?:application|text|notifications|sluice)\//.test(name))
  expect(named).toContain('tasks/get')
  const isKnown = (name: string) => LOOKUPS[`method ${name}`] !== undefined || METHODS_WITHOUT_LOOKUP.test(name)
  expect(named.filter((name) => !isKnown(name))).toEqual([])
})

describe.each(Object.entries(LOOKUPS))('%s', (_, { finds, look, shared = [] }) => {
  test('finds what a key with the same grant began', async () => {
    expect(await look(of('equal'), of('maker'))).toMatch(finds)
  })

  test.each(OTHERS)('of the %s key', async (actor) => {
    const found = await look(of(actor), of('maker'))
    if (shared.includes(actor)) expect(found).toMatch(finds)
    else expect(found).not.toMatch(finds)
  })
})

test('a repeated request is answered again only for an equal grant, on every POST', async () => {
  const { thread_id } = await began.thread(of('maker'))
  const path = `/agent/threads/${thread_id}/cancel`
  const ask = (actor: Actor) => sendRaw(gate, of(actor), { path, headers: { 'idempotency-key': 'repeated' }, body: {} })
  expect((await ask('maker')).text).toContain('SECRET')
  expect((await ask('equal')).headers).toMatchObject({ 'idempotency-replayed': 'true' })
  expect(await ask('smaller')).toMatchObject({ body: { code: 'request.key_reused' } })
  for (const actor of ['other agent', 'other user'] as const) expect(await ask(actor)).toMatchObject({ status: 404 })
})

test('a thread acts with the credential of the turn that asked', async () => {
  const { thread_id } = fieldsOf(await post(of('smaller'), '/agent/run', { message: 'echo one' }))
  const ask = (actor: Actor, message: string) => post(of(actor), '/agent/run', { message, thread_id })
  expect(await ask('smaller', 'big')).not.toContain('xxxx')
  // A key that grants more may continue it, and from then on it is a thread of that key.
  expect(await ask('maker', 'big')).toContain('SECRET: xxxx')
  expect(fieldsOf(await ask('smaller', 'echo two'))).toMatchObject({ code: 'agent.thread_unknown' })
})
