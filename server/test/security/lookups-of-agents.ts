import { expect } from 'vitest'
import { listenTo, modern, rpc, sendRaw } from '../helpers/send-raw.ts'
import type { RunningGate } from '../helpers/with-running-gate.ts'

/**
 * What one credential began, looked up with others. An agent may hold several keys of one name: the smaller of them gets nothing through the
 * name. Every route, MCP method and own tool that an agent may use is either in this table or in the list of those that look nothing up.
 */
const GRANTS = { speaks_for_user: true, flow_role: 'editor', calls: 1_000_000 }
/** The name, user and grant of each key. */
export const KEYS = {
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
export type Actor = keyof typeof KEYS
export const OTHERS = (Object.keys(KEYS) as Actor[]).filter((actor) => actor !== 'maker' && actor !== 'equal')
/** An artifact belongs to its user: a key that may use its tools reads it, whichever of the user's agents made it. */
const OF_THE_USER: readonly Actor[] = ['fewer calls', 'unheard', 'lesser role', 'one vault', 'other agent']

export const fieldsOf = (text: string) => JSON.parse(text) as Record<string, string>
const KEYED = { 'idempotency-key': 'mine' }
const KEYED_ECHO = { 'idempotency-key': 'echo' }
const OLD = { 'mcp-protocol-version': '2025-11-25' }
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** A lookup of something that `maker` began: the answer, and what only somebody who found it reads in it. */
type Lookup = {
  readonly finds: RegExp
  readonly look: (key: string, maker: string) => Promise<string>
  /** Who else may: documented in docs/operate/keys-and-people.md. */
  readonly shared?: readonly Actor[]
}

/** Routes that an agent may use and that find nothing by whose it is, each with the reason. */
export const NOT_BY_CALLER: Readonly<Record<string, string>> = {
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
export const isFlowChange = (route: string) => route.startsWith('POST /api/v1/flows/')
/** Methods that read nothing which a caller made: lists, definitions, and what servers offer, which is judged like a call. */
export const METHODS_WITHOUT_LOOKUP =
  /^(?:(?:tools|resources|resources\/templates|prompts)\/list|resources\/(?:read|subscribe|unsubscribe)|prompts\/get|completion\/complete|logging\/setLevel|server\/discover|tools\/call|elicitation\/create)$/
export const OWN_TOOLS_WITHOUT_LOOKUP = ['tool_search', 'get_skill_card', 'execute_skill_proxy', 'flow_run']

/** The table, for a gate that is started later. A new route for agents gets an entry here, or above with the reason why it needs none. */
export function lookupsOfAgents(gate: () => RunningGate) {
  const get = async (key: string, path: string) => (await sendRaw(gate(), key, { method: 'GET', path })).text
  const post = async (key: string, path: string, body: object = {}, headers: Record<string, string> = {}) =>
    (await sendRaw(gate(), key, { path, body, headers: { accept: 'application/json', ...headers } })).text
  const ownTool = async (key: string, name: string, args: object) =>
    (await sendRaw(gate(), key, modern('tools/call', { name, arguments: args }))).text

  /** What the maker began. */
  const began = {
    call: async (key: string) =>
      fieldsOf(await post(key, '/v1/calls', { tool: 'book__big', args: { size: 9 } }, KEYED)),
    held: async (key: string) =>
      fieldsOf(await post(key, '/v1/calls', { tool: 'book__note', args: { text: crypto.randomUUID() } })),
    artifact: async (key: string) =>
      /artifact:\/\/([0-9a-f]{64})/.exec(
        await post(key, '/v1/calls', { tool: 'book__big', args: { size: 60_000 } }),
      )?.[1] ?? '',
    thread: async (key: string) =>
      fieldsOf(await post(key, '/agent/run', { message: 'big', idempotency_key: 'thread' })),
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
      return /call_[0-9a-z]+/.exec((await sendRaw(gate(), key, modern('tools/call', params, TASKS))).text)?.[0] ?? ''
    },
    session: async (key: string) => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
      const { headers } = await sendRaw(gate(), key, { body: rpc('initialize', params) })
      return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
    },
  }

  const ofThread = (finds: RegExp, look: (key: string, of: Record<string, string>) => Promise<string>): Lookup => ({
    finds,
    look: async (key, maker) => look(key, await began.thread(maker)),
  })
  const ofTask = (method: string, finds: RegExp): Lookup => ({
    finds,
    look: async (key, maker) => {
      const taskId = await began.task(maker)
      return (await sendRaw(gate(), key, modern(method, { taskId }, TASKS))).text
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
    'GET /agent/threads/{thread_id}': ofThread(/SECRET/, (key, { thread_id }) =>
      get(key, `/agent/threads/${thread_id}`),
    ),
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
        const stream = listenTo(gate(), key, { path })
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
        const stream = listenTo(gate(), key, { path: '/v1/stream?kinds=call' })
        const own = listenTo(gate(), maker, { path: '/v1/stream?kinds=call' })
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
        const { text } = await sendRaw(gate(), key, { headers: await began.session(maker), body: rpc('ping') })
        return text
      },
    },
    'GET /mcp': {
      finds: /200/,
      look: async (key, maker) => {
        const stream = listenTo(gate(), key, { headers: await began.session(maker) })
        const status = await stream.opened
        stream.close()
        return String(status)
      },
    },
    'DELETE /mcp': {
      finds: /20[04]/,
      look: async (key, maker) =>
        String((await sendRaw(gate(), key, { method: 'DELETE', headers: await began.session(maker) })).status),
    },
    'own tool call_status': {
      finds: /xxxxxxxxx/,
      look: async (key, maker) => ownTool(key, 'call_status', { call_id: (await began.call(maker))['call_id'] }),
    },
    'own tool artifact_read': {
      finds: /xxxxx/,
      look: async (key, maker) =>
        ownTool(key, 'artifact_read', { pointer: `artifact://${await began.artifact(maker)}` }),
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
        const { text } = await sendRaw(gate(), key, { headers: OLD, body: rpc('tasks/list') })
        return text.includes(taskId) ? taskId : ''
      },
    },
    'method tasks/result': {
      finds: /"result"/,
      look: async (key, maker) => {
        const taskId = await began.task(maker)
        await post(maker, `/v1/calls/${taskId}/withdraw`)
        return (await sendRaw(gate(), key, { headers: OLD, body: rpc('tasks/result', { taskId }) })).text
      },
    },
    'method subscriptions/listen': {
      finds: /"taskIds"/,
      look: async (key, maker) => {
        const wanted = { notifications: { taskIds: [await began.task(maker)] } }
        const stream = listenTo(gate(), key, { method: 'POST', ...modern('subscriptions/listen', wanted, TASKS) })
        if ((await stream.opened) === 200)
          await expect.poll(() => stream.messages.length + Number(stream.isOver())).toBeGreaterThan(0)
        stream.close()
        return JSON.stringify(stream.messages)
      },
    },
  }
  return { lookups: LOOKUPS, began, post }
}
