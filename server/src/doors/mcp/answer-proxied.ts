import type { Gate } from '../../commands/gate.ts'
import type { ProxiedMethod } from '../../commands/proxy.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Problem } from '../../contract/problems.ts'
import { liveOf, type Exchange } from './exchange.ts'
import { asSaid, inBand, refusalFor, refusalOf, RPC, type Answer } from './rpc.ts'

/** The capability without which a method is not offered. */
export const CAPABILITY: Readonly<Record<ProxiedMethod, string>> = {
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'prompts/list': 'prompts',
  'prompts/get': 'prompts',
  'completion/complete': 'completions',
}

/** Resources, prompts and completions of the servers behind the gate. */
export async function answerProxied(gate: Gate, method: ProxiedMethod, exchange: Exchange): Promise<Answer> {
  const { caller, params, trace } = exchange
  const request = { method, params: ownParams(params), trace, thread: exchange.thread(), ...liveOf(exchange) }
  const answer = await gate.proxy(caller, request)
  switch (answer.is) {
    case 'answered':
      return { result: answer.result }
    case 'rejected':
      return asSaid(answer.error)
    case 'refused':
      return unread(answer.problem, exchange)
    default:
      return answer satisfies never
  }
}

/** Of the older era: a resource to be told of, or not any more. */
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
      return asSaid(answer.error)
    case 'refused':
      return unread(answer.problem, exchange)
    default:
      return answer satisfies never
  }
}

export type WatchMethod = 'resources/subscribe' | 'resources/unsubscribe'
export const isWatch = (method: string): method is WatchMethod =>
  method === 'resources/subscribe' || method === 'resources/unsubscribe'

function unread(problem: Problem, { era, params: { uri } }: Exchange): Answer {
  const isUnknown = problem.code === 'read.unknown'
  // Where a client looks for it: the number differs between the eras, the address stands beside it in both.
  const rpc = !isUnknown ? RPC.server : era === 'old' && typeof uri === 'string' ? -32002 : RPC.invalid_params
  return inBand(refusalFor(rpc, problem, typeof uri === 'string' && isUnknown ? { uri } : {}))
}

/** `_meta` is between the client and the gate: the server gets its own. */
function ownParams({ _meta: _, ...params }: JsonObject): JsonObject {
  return params
}
