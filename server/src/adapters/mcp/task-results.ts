import type { McpPorts } from './mcp-ports.ts'
import type { CallTask } from '../../kernel/attempt/call-task.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Outcome } from '../../kernel/contract/call.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { CAPABILITIES_KEY, type Era } from './read-message.ts'
import { serverRefusal, type RpcResult } from './rpc.ts'
import { showsOutputSchema } from './shown-definition.ts'
import { toolResult } from './tool-result.ts'

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const POLL_MS = 1_000
const LONGEST_MESSAGE = 500

/** The outcome of a call as an answer to `tools/call`: a result, or the tool server's error. */
export function callResult(gate: McpPorts, outcome: Outcome, hasOutputSchema: () => boolean): RpcResult {
  if (outcome.status === 'executed') return { result: toolResult(outcome, false) }
  const error = errorIn(outcome)
  return error === undefined ? { result: toolResult(outcome, hasOutputSchema()) } : serverRefusal(gate, error)
}

function errorIn(outcome: Outcome): JsonObject | undefined {
  const error = outcome.status === 'failed' ? outcome.result?._meta?.['sluice/rpc-error'] : undefined
  return isJsonObject(error) ? error : undefined
}

/** The answer that the call itself would have had. */
export function taskResult(gate: McpPorts, caller: Caller, { outcome, tool_id }: CallTask, era: Era): RpcResult {
  return callResult(gate, outcome, () => showsOutputSchema(gate, caller, tool_id, era))
}

/**
 * A task in MCP's format. It is stored as long as the call's record, so its time to live is unlimited. A held call is `working`,
 * because the client cannot provide what it waits for.
 */
export function taskWords(task: CallTask, era: Era): JsonObject {
  const says = messageOf(task)
  return {
    taskId: task.call_id,
    status: statusOf(task, era),
    ...(says === undefined ? {} : { statusMessage: says }),
    createdAt: new Date(task.created_at).toISOString(),
    lastUpdatedAt: new Date(task.updated_at).toISOString(),
    ...(era === 'old' ? { ttl: null, pollInterval: POLL_MS } : { ttlMs: null, pollIntervalMs: POLL_MS }),
  }
}

/** Since 2026-07-28 a finished task contains its result. */
export function detailedTask(gate: McpPorts, caller: Caller, task: CallTask): JsonObject {
  const words = taskWords(task, 'new')
  if (task.state !== 'over') return words
  const answer = taskResult(gate, caller, task, 'new')
  return 'result' in answer ? { ...words, result: answer.result } : { ...words, error: answer.error }
}

/** Before 2026-07-28 a result with `isError` is a failed task; since then only a JSON-RPC error is. */
function statusOf({ state, outcome }: CallTask, era: Era): string {
  if (state !== 'over') return state
  if (outcome.status === 'executed') return 'completed'
  return era === 'old' || errorIn(outcome) !== undefined ? 'failed' : 'completed'
}

function messageOf({ outcome }: CallTask): string | undefined {
  if (outcome.status === 'executed') return undefined
  const { content } = toolResult(outcome, false)
  const [first] = Array.isArray(content) ? content : []
  const text = isJsonObject(first) ? first['text'] : undefined
  return typeof text === 'string' ? text.slice(0, LONGEST_MESSAGE) : undefined
}

/** Since 2026-07-28: whether the client of this message can be answered with a task. */
export function declaresTasks(meta: JsonObject): boolean {
  const capabilities = meta[CAPABILITIES_KEY]
  const extensions = isJsonObject(capabilities) ? capabilities['extensions'] : undefined
  return isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION])
}
