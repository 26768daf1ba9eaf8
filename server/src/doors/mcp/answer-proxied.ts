import type { Gate } from '../../commands/gate.ts'
import type { ProxiedMethod } from '../../commands/proxy.ts'
import type { JsonObject } from '../../contract/json.ts'
import { liveOf, type Exchange } from './exchange.ts'
import { asSaid, inBand, refusalFor, RPC, type Answer } from './rpc.ts'

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
  const { caller, era, params, trace } = exchange
  const request = { method, params: ownParams(params), trace, thread: exchange.thread(), ...liveOf(exchange) }
  const answer = await gate.proxy(caller, request)
  switch (answer.is) {
    case 'answered':
      return { result: answer.result }
    case 'rejected':
      return asSaid(answer.error)
    case 'refused': {
      const { uri } = params
      const isUnknown = answer.problem.code === 'read.unknown'
      // Where a client looks for it: the number differs between the eras, the address stands beside it in both.
      const rpc = !isUnknown ? RPC.server : era === 'old' && method === 'resources/read' ? -32002 : RPC.invalid_params
      return inBand(refusalFor(rpc, answer.problem, typeof uri === 'string' && isUnknown ? { uri } : {}))
    }
    default:
      return answer satisfies never
  }
}

/** `_meta` is between the client and the gate: the server gets its own. */
function ownParams({ _meta: _, ...params }: JsonObject): JsonObject {
  return params
}
