import { markedError } from './foreign-texts.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { problem, specOf, type KernelProblemCode, type Problem } from '../../kernel/contract/problems.ts'

export type RpcId = string | number

/** The error numbers of JSON-RPC and MCP. The gate's own code is in `data.code`. */
export const RPC = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal: -32603,
  server: -32000,
  session_not_found: -32001,
  header_mismatch: -32020,
  capability_missing: -32021,
  version_unsupported: -32022,
} as const

/** A rejected message: its JSON-RPC error, and the status over HTTP. */
export type RpcRefusal = { readonly http: number; readonly error: JsonObject }

/** The answer to a request. */
export type RpcResult = { readonly result: JsonObject } | RpcRefusal

export function refusalOf(
  rpc: number,
  code: KernelProblemCode,
  about: Problem['about'] = {},
  more: JsonObject = {},
): RpcRefusal {
  return refusalFor(rpc, problem(code, about), more)
}

/** `more`: other fields that the protocol requires in an error's `data`. */
export function refusalFor(rpc: number, found: Problem, more: JsonObject = {}): RpcRefusal {
  const { http, says, do: remedy } = specOf(found)
  const { code, about } = found
  return { http, error: { code: rpc, message: `${says}; ${remedy}`, data: { code, about, ...more } } }
}

/** A refusal that is a valid answer to the message: its HTTP status is 200. */
export const inBand = (refusal: RpcRefusal): RpcRefusal => ({ ...refusal, http: 200 })

/** A tool server's own error. A missing client capability has its own HTTP status. */
export const serverRefusal = (
  { ownCodes }: { readonly ownCodes: ReadonlySet<string> },
  error: JsonObject,
): RpcRefusal => ({
  http: error['code'] === RPC.capability_missing ? 400 : 200,
  error: markedError(error, ownCodes),
})

/** The text of an answer, ready to be sent. */
export function textOf(id: RpcId | null, answer: RpcResult): string {
  return 'result' in answer
    ? JSON.stringify({ jsonrpc: '2.0', id, result: answer.result })
    : JSON.stringify({ jsonrpc: '2.0', id, error: answer.error })
}
