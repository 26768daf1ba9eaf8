import type { Gate } from '../../commands/gate.ts'
import type { Caller } from '../../contract/caller.ts'
import type { CallRequest } from '../../contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'
import { CALL_STATUS, readCallStatus } from './call-status.ts'
import { toolAnswer } from './tool-answer.ts'

/** Whom a message comes from, taken from the connection and never from the message. */
export type Speaker = {
  readonly caller: Caller
  readonly trace: string
  readonly session: string | undefined
  readonly signal: AbortSignal
}

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const INSTRUCTIONS =
  'Every tool call passes a gate. A call may be held for a person: then the answer says `pending`; ask `call_status` with its call_id for the outcome and do not repeat the call.'
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

/** Answers one JSON-RPC message of an MCP client; undefined for what wants no answer. */
export async function handleMessage(gate: Gate, message: Json, speaker: Speaker): Promise<JsonObject | undefined> {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0' || typeof message['method'] !== 'string') {
    return fault(null, INVALID_REQUEST, 'not a JSON-RPC request')
  }
  const { id, method } = message
  if (id === undefined) return undefined
  if (typeof id !== 'string' && typeof id !== 'number')
    return fault(null, INVALID_REQUEST, 'the id is a string or a number')
  const params = isJsonObject(message['params']) ? message['params'] : {}
  switch (method) {
    case 'initialize':
      return answer(id, initialize(gate, params))
    case 'ping':
      return answer(id, {})
    case 'tools/list':
      return answer(id, { tools: listTools(gate, speaker.caller), ...noticesFor(gate) })
    case 'tools/call':
      return callTool(gate, id, params, speaker)
    default:
      return fault(id, METHOD_NOT_FOUND, `\`${method}\` is not offered here`)
  }
}

/** What people should know while it stands, in a place that clients hand on or log. */
function noticesFor(gate: Gate): JsonObject {
  const notices = gate.policies.notices()
  return notices.length === 0 ? {} : { _meta: { 'sluice/notices': notices.map((notice) => ({ ...notice })) } }
}

function initialize(gate: Gate, params: JsonObject): JsonObject {
  const wanted = params['protocolVersion']
  const protocolVersion = typeof wanted === 'string' && VERSIONS.includes(wanted) ? wanted : '2025-11-25'
  const standing = gate.policies.notices().map(({ says, faults: [fault] }) => {
    const where = fault === undefined ? '' : ` (${fault.file}:${fault.line}: ${fault.says}; ${fault.instead})`
    return ` Tell the operator: ${says}${where}.`
  })
  return {
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'sluice', title: 'Sluice', version: gate.version },
    instructions: `${INSTRUCTIONS}${standing.join('')}`,
    ...noticesFor(gate),
  }
}

function listTools(gate: Gate, caller: Caller): JsonObject[] {
  const tools = gate.tools(caller).filter(({ row }) => row.gone_at === undefined)
  const listed = tools.map(({ row, title }) => ({
    ...row.definition,
    ...(title === undefined ? {} : { title }),
    name: row.tool_id,
  }))
  return [CALL_STATUS, ...listed]
}

async function callTool(gate: Gate, id: string | number, params: JsonObject, speaker: Speaker): Promise<JsonObject> {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string') return fault(id, INVALID_PARAMS, '`name` is missing')
  if (name === CALL_STATUS['name']) return answer(id, await readCallStatus(gate, speaker.caller, args))
  const tool = gate.tools(speaker.caller).find(({ row }) => row.tool_id === name)
  const request: CallRequest = {
    caller: speaker.caller,
    tool: name,
    args,
    trace: speaker.trace,
    ...(speaker.session === undefined ? {} : { thread: `mcp:${speaker.session}` }),
  }
  const outcome = await gate.dispatch(request, { signal: speaker.signal })
  const rpcError = outcome.status === 'failed' ? outcome.result?._meta?.['sluice/rpc-error'] : undefined
  if (rpcError !== undefined) return { jsonrpc: '2.0', id, error: rpcError }
  return answer(id, toolAnswer(outcome, tool?.row.definition.outputSchema !== undefined))
}

const answer = (id: string | number, result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id, result })

function fault(id: string | number | null, code: number, message: string): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
