import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { headerText } from './header-text.ts'
import { refusalOf, RPC, type RpcRefusal, type RpcId } from './rpc.ts'

/** Versions with `initialize` and sessions. */
export const OLD_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** Versions without `initialize` and sessions: every message contains what it needs. */
export const NEW_VERSIONS: readonly string[] = ['2026-07-28']
const FIRST_NEW = '2026-07-28'

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

export type Era = 'old' | 'new'
export type McpRequest = {
  readonly is: 'request'
  readonly era: Era
  readonly id: RpcId
  readonly method: string
  readonly params: JsonObject
  readonly meta: JsonObject
}
export type Notification = { readonly is: 'notification'; readonly method: string; readonly params: JsonObject }
/** An answer to a question, whether or not the gate asked it. */
export type ClientReply = { readonly is: 'reply'; readonly id: Json | undefined; readonly result: Json | undefined }
export type RefusedMessage = { readonly is: 'refused'; readonly id: RpcId | null; readonly refusal: RpcRefusal }

/** The headers that repeat the body since 2026-07-28, so that a proxy need not read it. */
export type Mirrored = {
  readonly version: string | undefined
  readonly method: string | undefined
  readonly name: string | undefined
}

const NOTHING: JsonObject = {}

/**
 * The kind of one posted message and its protocol era. The body decides; headers are compared with it. With `may_lack` they may be
 * missing (no proxy reads them on a local socket), but a wrong one is always rejected.
 */
export function readMessage(
  message: Json,
  headers: Mirrored,
  may_lack: boolean,
): McpRequest | Notification | ClientReply | RefusedMessage {
  if (Array.isArray(message)) return refused(null, refusalOf(RPC.invalid_request, 'mcp.batch_refused'))
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') return notAMessage()
  const { id, method, params = NOTHING } = message
  if (method === undefined && ('result' in message || 'error' in message))
    return { is: 'reply', id, result: message['result'] }
  if (typeof method !== 'string' || !isJsonObject(params)) return notAMessage(isId(id) ? id : null)
  if (id === undefined) return { is: 'notification', method, params }
  if (!isId(id)) return notAMessage()
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : NOTHING
  const request = { is: 'request', id, method, params, meta } as const
  const refusal =
    meta[VERSION_KEY] === undefined ? faultInOld(request, headers) : faultInNew(request, headers, may_lack)
  if (refusal !== undefined) return refused(id, refusal)
  return { ...request, era: meta[VERSION_KEY] === undefined ? 'old' : 'new' }
}

type Unsorted = Omit<McpRequest, 'era'>

function faultInOld({ method, meta }: Unsorted, { version }: Mirrored): RpcRefusal | undefined {
  if (version === undefined || OLD_VERSIONS.includes(version)) return undefined
  if (version < FIRST_NEW) return unsupported(version, [...NEW_VERSIONS, ...OLD_VERSIONS])
  if (method === 'initialize')
    return mismatch('MCP-Protocol-Version', 'no message of this version is called `initialize`')
  const keys = [VERSION_KEY, CAPABILITIES_KEY].filter((key) => meta[key] === undefined)
  return refusalOf(RPC.invalid_params, 'mcp.envelope_invalid', { keys: keys.join(', ') })
}

function faultInNew({ method, params, meta }: Unsorted, headers: Mirrored, may_lack: boolean): RpcRefusal | undefined {
  const version = meta[VERSION_KEY]
  const keys = [
    ...(typeof version === 'string' ? [] : [VERSION_KEY]),
    ...(isJsonObject(meta[CAPABILITIES_KEY]) ? [] : [CAPABILITIES_KEY]),
  ]
  if (typeof version !== 'string' || keys.length > 0)
    return refusalOf(RPC.invalid_params, 'mcp.envelope_invalid', { keys: keys.join(', ') })
  const lacks = (header: string | undefined) => header === undefined && !may_lack
  if (headers.version !== undefined && headers.version !== version)
    return mismatch('MCP-Protocol-Version', 'the body has a different version')
  // The same list as in the answer to `server/discover`: older versions have no messages of this kind.
  if (!NEW_VERSIONS.includes(version)) return unsupported(version, NEW_VERSIONS)
  if (lacks(headers.version)) return mismatch('MCP-Protocol-Version', 'it is missing')
  if (headers.method !== undefined && headers.method !== method)
    return mismatch('Mcp-Method', 'the body has a different method')
  if (lacks(headers.method)) return mismatch('Mcp-Method', 'it is missing')
  return faultInName(method, params, headers.name, lacks(headers.name))
}

/** The field of the parameters that `Mcp-Name` repeats. */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

function faultInName(
  method: string,
  params: JsonObject,
  header: string | undefined,
  is_lacking: boolean,
): RpcRefusal | undefined {
  const field = NAMED.get(method)
  const name = field === undefined ? undefined : params[field]
  if (typeof name !== 'string') return undefined
  if (is_lacking) return mismatch('Mcp-Name', 'it is missing')
  if (header === undefined) return undefined
  return headerText(header) === name ? undefined : mismatch('Mcp-Name', 'the body has a different name')
}

export const mismatch = (header: string, why: string): RpcRefusal =>
  refusalOf(RPC.header_mismatch, 'mcp.header_mismatch', { header, why })

function unsupported(requested: string, supported: readonly string[]): RpcRefusal {
  const about = { supported: supported.join(', ') }
  return refusalOf(RPC.version_unsupported, 'mcp.version_unsupported', about, { supported, requested })
}

const isId = (id: Json | undefined): id is RpcId => typeof id === 'string' || Number.isSafeInteger(id)
const refused = (id: RpcId | null, refusal: RpcRefusal): RefusedMessage => ({ is: 'refused', id, refusal })
const notAMessage = (id: RpcId | null = null): RefusedMessage =>
  refused(id, refusalOf(RPC.invalid_request, 'mcp.message_invalid'))
