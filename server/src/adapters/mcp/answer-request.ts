import type { McpPorts } from './mcp-ports.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { Caller, Surface } from '../../kernel/contract/caller.ts'
import { type JsonObject, isJsonObject } from '../../kernel/contract/json.ts'
import { isProxied, type ProxiedMethod, type ProxyReply } from '../../kernel/proxy/proxy.ts'
import { answerTasks, isTaskMethod } from './answer-tasks.ts'
import { type McpExchange, liveOf } from './exchange.ts'
import { LOG_LEVELS, logLevelOf } from './log-level.ts'
import { NEW_VERSIONS, OLD_VERSIONS, type Era } from './read-message.ts'
import { inBand, refusalOf, RPC, type RpcResult, serverRefusal, refusalFor } from './rpc.ts'
import { TASKS_EXTENSION } from './task-results.ts'
import { callTool, listedGuestTools, listTools, resultFor, shownTo, type ShownSurface } from './surfaces.ts'
import type { Asks } from '../../kernel/approvals/asks.ts'
import { problem, type Problem } from '../../kernel/contract/problems.ts'
import { markedText } from '../../kernel/contract/visible-text.ts'
import { answerableOf } from './answerable.ts'
import { askClient, markedRequests, MOST_ROUNDS } from './ask-client.ts'
import { markedList } from './foreign-texts.ts'

/** The capability that each method requires. */
const CAPABILITY: Readonly<Record<ProxiedMethod, string>> = {
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'prompts/list': 'prompts',
  'prompts/get': 'prompts',
  'completion/complete': 'completions',
}

/** Resources, prompts and completions of the servers behind the gate. */
async function answerProxied(gate: McpPorts, method: ProxiedMethod, exchange: McpExchange): Promise<RpcResult> {
  const answer = await inRounds(gate, method, exchange)
  switch (answer.is) {
    case 'answered':
      return {
        result:
          method.endsWith('/list') || method === 'completion/complete'
            ? markedList(answer.result)
            : described(answer.result),
      }
    case 'rejected':
      return serverRefusal(gate, answer.error)
    case 'refused':
      return unread(answer.problem, exchange)
    default:
      return answer satisfies never
  }
}

/**
 * A prompt's description and a question are shown to people, so invisible characters in them are marked. Messages and contents are
 * passed on unchanged.
 */
function described(result: JsonObject): JsonObject {
  const { description, inputRequests } = result
  if (isJsonObject(inputRequests)) return { ...result, inputRequests: markedRequests(inputRequests) }
  return typeof description === 'string' ? { ...result, description: markedText(description) } : result
}

/** INVARIANT: each round is a separate read, judged together with the answers it contains. */
async function inRounds(gate: McpPorts, method: ProxiedMethod, exchange: McpExchange): Promise<ProxyReply> {
  const { caller, era, trace } = exchange
  const answerable = answerableOf(exchange.capabilities())
  const asking = {
    method,
    trace,
    ...(exchange.thread === undefined ? {} : { thread: exchange.thread }),
    ...(answerable === undefined ? {} : { answerable }),
  }
  let params = ownParams(exchange.params)
  for (let round = 1; ; round += 1) {
    const answer = await gate.proxy.ask(caller, { ...asking, params, ...liveOf(exchange) })
    const asks = answer.is === 'answered' && era === 'old' ? asksOf(answer.result) : undefined
    if (asks === undefined) return answer
    const inputs = round < MOST_ROUNDS ? await askClient(exchange, asks) : undefined
    if (inputs === undefined) return { is: 'refused', problem: problem('tool.asks') }
    const { responses, state } = inputs
    params = { ...params, inputResponses: responses, ...(state === undefined ? {} : { requestState: state }) }
  }
}

/** The questions of a server that must be answered first, if there are any. */
function asksOf({ resultType, inputRequests = {}, requestState }: JsonObject): Asks | undefined {
  if (resultType !== 'input_required' || !isJsonObject(inputRequests)) return undefined
  return { requests: inputRequests, ...(typeof requestState === 'string' ? { state: requestState } : {}) }
}

/** Before 2026-07-28: subscribes to a resource, or unsubscribes. */
async function answerWatch(gate: McpPorts, method: WatchMethod, exchange: McpExchange): Promise<RpcResult> {
  const { uri } = exchange.params
  if (typeof uri !== 'string')
    return inBand(refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: 'uri: missing' }))
  if (method === 'resources/unsubscribe') {
    exchange.unwatch(uri)
    return { result: {} }
  }
  const answer = await exchange.watch(uri)
  switch (answer.is) {
    case 'watching':
      return { result: {} }
    case 'rejected':
      return serverRefusal(gate, answer.error)
    case 'refused':
      return unread(answer.problem, exchange)
    default:
      return answer satisfies never
  }
}

type WatchMethod = 'resources/subscribe' | 'resources/unsubscribe'
const isWatch = (method: string): method is WatchMethod =>
  method === 'resources/subscribe' || method === 'resources/unsubscribe'

function unread(why: Problem, { era, params: { uri } }: McpExchange): RpcResult {
  const isUnknown = why.code === 'read.unknown'
  // The error number depends on the protocol version; the address is in `data` in all of them.
  const rpc = !isUnknown ? RPC.server : era === 'old' && typeof uri === 'string' ? -32002 : RPC.invalid_params
  return inBand(refusalFor(rpc, why, typeof uri === 'string' && isUnknown ? { uri } : {}))
}

/** The client's `_meta` is only for the gate; the server gets its own. */
function ownParams({ _meta: _, ...params }: JsonObject): JsonObject {
  return params
}

const HELD =
  'Every tool call goes through a gate. A call may be held until a person decides: then the answer says `pending`. Call `call_status` with its call_id to get the outcome; do not repeat the call.'
const SEARCHED = ' To use a tool: find it with tool_search, read its get_skill_card, run it with execute_skill_proxy.'

const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo'
/** The search surface does not change within a release. */
const CONSTANT_MS = 300_000

const TASKS: JsonObject = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

/** Since 2026-07-28 these results have a cache lifetime. */
const CACHED = new Set(['resources/list', 'resources/templates/list', 'resources/read', 'prompts/list'])

const WAITS_FOR_TOOLS = new Set(['initialize', 'server/discover', 'tools/list', 'resources/list', 'prompts/list'])

/** Answers one request of any protocol version, except those that open a stream. The answer still has to be `completed`. */
export function answerRequest(
  gate: McpPorts,
  method: string,
  exchange: McpExchange,
  surface: Surface,
): MaybePromise<RpcResult> {
  return method === 'tools/call' ? callTool(gate, exchange, surface) : answerOther(gate, method, exchange, surface)
}

async function answerOther(
  gate: McpPorts,
  method: string,
  exchange: McpExchange,
  surface: Surface,
): Promise<RpcResult> {
  const { caller, era, params } = exchange
  // Clients often list tools only once, so wait briefly for servers that are still connecting.
  if (WAITS_FOR_TOOLS.has(method)) await gate.toolViews.firstListing()
  const shown = shownTo(gate, caller, surface)
  switch (method) {
    case 'tools/list': {
      const guests = await listedGuestTools(gate)
      const page = listTools(gate, caller, shown, era, { cursor: params['cursor'], guests })
      if (page === undefined) return badCursor()
      const result = { ...page, ...noticesIn(gate, caller) }
      return { result: era === 'old' ? result : { ...result, ...freshFor(shown === 'search' ? CONSTANT_MS : 0) } }
    }
    case 'initialize':
      return era === 'old' ? { result: initialized(gate, shown, params) } : unknown(method, era)
    case 'ping':
      return era === 'old' ? { result: {} } : unknown(method, era)
    case 'server/discover':
      return era === 'new' ? { result: discovered(gate, shown) } : unknown(method, era)
    case 'logging/setLevel':
      return era === 'old' ? setLogLevel(exchange) : unknown(method, era)
    default: {
      if (isTaskMethod(method, era)) return answerTasks(gate, method, exchange)
      if (isWatch(method) && era === 'old' && shown === 'passthrough' && gate.proxy.offers().has('resources/subscribe'))
        return answerWatch(gate, method, exchange)
      const isOffered = shown === 'passthrough' && isProxied(method) && gate.proxy.offers().has(CAPABILITY[method])
      if (!isOffered) return unknown(method, era)
      if (params['cursor'] !== undefined) return badCursor()
      const answer = await answerProxied(gate, method, exchange)
      return 'result' in answer && era === 'new' && CACHED.has(method)
        ? { result: { ...answer.result, ...freshFor(0) } }
        : answer
    }
  }
}

function setLogLevel(exchange: McpExchange): RpcResult {
  const level = logLevelOf(exchange.params['level'])
  if (level === undefined) return badParams(`level: one of ${LOG_LEVELS.join(', ')}`)
  exchange.setLogLevel(level)
  return { result: {} }
}

/** Since 2026-07-28 every result contains its type and the server that made it. */
export function completed({ version }: McpPorts, era: Era, answer: RpcResult): RpcResult {
  if (!('result' in answer)) return answer
  const result = resultFor(answer.result, era)
  if (era === 'old') return result === answer.result ? answer : { result }
  const meta = result['_meta'] as JsonObject | undefined
  return {
    result: { resultType: 'complete', ...result, _meta: { ...meta, [SERVER_INFO_KEY]: { name: 'sluice', version } } },
  }
}

/** How long the client may cache a list; proxies must not cache it. */
const freshFor = (ttlMs: number): JsonObject => ({ ttlMs, cacheScope: 'private' })

/** Resources and prompts are offered only with the passthrough surface. */
export function capabilitiesOf(gate: McpPorts, shown: ShownSurface, era: Era): JsonObject {
  const offered = gate.proxy.offers()
  // Before 2026-07-28 the gate reports the outcome of a held call as a log message.
  const logging = era === 'old' || offered.has('logging') ? { logging: {} } : {}
  const tasks = era === 'old' ? { tasks: TASKS } : { extensions: { [TASKS_EXTENSION]: {} } }
  if (shown === 'search') return { tools: {}, ...logging, ...tasks }
  return {
    ...tasks,
    tools: { listChanged: true },
    ...(offered.has('resources') ? { resources: { listChanged: true, ...watchable(offered) } } : {}),
    ...(offered.has('prompts') ? { prompts: { listChanged: true } } : {}),
    ...(offered.has('completions') ? { completions: {} } : {}),
    ...logging,
  }
}

const watchable = (offered: ReadonlySet<string>): JsonObject =>
  offered.has('resources/subscribe') ? { subscribe: true } : {}

function initialized(gate: McpPorts, shown: ShownSurface, params: JsonObject): JsonObject {
  const wanted = params['protocolVersion']
  const newest = OLD_VERSIONS[0] ?? ''
  const protocolVersion = typeof wanted === 'string' && OLD_VERSIONS.includes(wanted) ? wanted : newest
  const { tasks, ...capabilities } = capabilitiesOf(gate, shown, 'old')
  return {
    protocolVersion,
    // Earlier versions have no tasks.
    capabilities: protocolVersion === newest ? { ...capabilities, tasks: tasks ?? {} } : capabilities,
    serverInfo: { name: 'sluice', title: 'Sluice', version: gate.version },
    instructions: instructions(gate, shown),
    ...noticesIn(gate),
  }
}

function discovered(gate: McpPorts, shown: ShownSurface): JsonObject {
  return {
    supportedVersions: [...NEW_VERSIONS],
    capabilities: capabilitiesOf(gate, shown, 'new'),
    instructions: instructions(gate, shown),
    ...freshFor(0),
    ...noticesIn(gate),
  }
}

function instructions(gate: McpPorts, shown: ShownSurface): string {
  const warnings = gate.notices().map(({ says, faults: [fault] }) => {
    const where = fault === undefined ? '' : ` (${fault.file}:${fault.line}: ${fault.says}; ${fault.instead})`
    return ` Tell the operator: ${says}${where}.`
  })
  return `${HELD}${shown === 'search' ? SEARCHED : ''}${warnings.join('')}`
}

/** Warnings that are currently in force. Clients pass the instructions to the model or log them. */
function noticesIn(gate: McpPorts, caller?: Caller): JsonObject {
  const notices = [...gate.notices(), ...(caller === undefined ? [] : gate.toolViews.down(caller))]
  return notices.length === 0 ? {} : { _meta: { 'sluice/notices': notices.map((notice) => ({ ...notice })) } }
}

/** Since 2026-07-28 an unknown method is answered with 404. */
function unknown(method: string, era: Era): RpcResult {
  const refusal = refusalOf(RPC.method_not_found, 'mcp.method_unknown', { method: method.slice(0, 128) })
  return era === 'new' ? refusal : inBand(refusal)
}
const badParams = (paths: string): RpcResult => inBand(refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths }))
const badCursor = (): RpcResult => badParams('cursor: not valid')
