import type { McpPorts } from './mcp-ports.ts'
import type { ProxiedMethod, ProxyAnswer } from '../../kernel/proxy/proxy.ts'
import type { Asks } from '../../kernel/approvals/asks.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { problem, type Problem } from '../../kernel/contract/problems.ts'
import { markedText } from '../../kernel/contract/visible-text.ts'
import { answerableOf } from './answerable.ts'
import { askClient, markedRequests, MOST_ROUNDS } from './ask-client.ts'
import { liveOf, type Exchange } from './exchange.ts'
import { markedList } from './foreign-texts.ts'
import { serverRefusal, inBand, refusalFor, refusalOf, RPC, type Answer } from './rpc.ts'

/** The capability that each method requires. */
export const CAPABILITY: Readonly<Record<ProxiedMethod, string>> = {
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'prompts/list': 'prompts',
  'prompts/get': 'prompts',
  'completion/complete': 'completions',
}

/** Resources, prompts and completions of the servers behind the gate. */
export async function answerProxied(gate: McpPorts, method: ProxiedMethod, exchange: Exchange): Promise<Answer> {
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
      return serverRefusal(answer.error)
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
async function inRounds(gate: McpPorts, method: ProxiedMethod, exchange: Exchange): Promise<ProxyAnswer> {
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
export async function answerWatch(method: WatchMethod, exchange: Exchange): Promise<Answer> {
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
      return serverRefusal(answer.error)
    case 'refused':
      return unread(answer.problem, exchange)
    default:
      return answer satisfies never
  }
}

export type WatchMethod = 'resources/subscribe' | 'resources/unsubscribe'
export const isWatch = (method: string): method is WatchMethod =>
  method === 'resources/subscribe' || method === 'resources/unsubscribe'

function unread(why: Problem, { era, params: { uri } }: Exchange): Answer {
  const isUnknown = why.code === 'read.unknown'
  // The error number depends on the protocol version; the address is in `data` in all of them.
  const rpc = !isUnknown ? RPC.server : era === 'old' && typeof uri === 'string' ? -32002 : RPC.invalid_params
  return inBand(refusalFor(rpc, why, typeof uri === 'string' && isUnknown ? { uri } : {}))
}

/** The client's `_meta` is only for the gate; the server gets its own. */
function ownParams({ _meta: _, ...params }: JsonObject): JsonObject {
  return params
}
