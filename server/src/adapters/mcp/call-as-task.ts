import type { McpPorts } from './mcp-ports.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import type { CallId } from '../../kernel/contract/ids.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug, problem, specOf, type Problem } from '../../kernel/contract/problems.ts'
import { liveOf, readerOf, type McpExchange } from './exchange.ts'
import { readTaskIn } from './read-task-in.ts'
import { inBand, refusalFor, refusalOf, RPC, type RpcResult } from './rpc.ts'
import { declaresTasks, RELATED_TASK, taskWords } from './task-results.ts'

/** Since 2026-07-28 the gate decides which calls become tasks: held ones, and those that take longer than this. */
const TASK_AFTER_MS = 1_000
const AT_ONCE = 'io.modelcontextprotocol/model-immediate-response'

/** How a call may be answered: `now` always with a task, `late` with a task if it takes long. */
export type WhenTask = 'never' | 'late' | 'now'

export function whenTask({ era, params, meta }: McpExchange): WhenTask {
  if (era === 'new') return declaresTasks(meta) ? 'late' : 'never'
  return params['task'] === undefined ? 'never' : 'now'
}

/** Why a call cannot be a task, before 2026-07-28. The client cannot choose how long a task is stored. */
export function taskFault(
  { params: { task } }: McpExchange,
  { dry_run }: Pick<CallRequest, 'dry_run'>,
): RpcResult | undefined {
  const ttl = isJsonObject(task) ? (task['ttl'] ?? null) : 'none'
  if (ttl !== null && !(typeof ttl === 'number' && ttl >= 0)) return badTask('an object, optionally with `ttl` in ms')
  return dry_run === 'only' ? badTask('a dry run cannot be a task') : undefined
}

const badTask = (why: string): RpcResult =>
  inBand(refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: `task: ${why}` }))

/** Makes a call as a task and answers as soon as it is recorded. Only `tasks/cancel` cancels it. */
export async function callAsTask(gate: McpPorts, exchange: McpExchange, request: CallRequest): Promise<RpcResult> {
  let call_id: CallId | undefined
  const later = { notify: (message: JsonObject) => exchange.notifyLater(related(message, call_id)) }
  const { signal: _, ...live } = liveOf(exchange, later)
  const begun = await begin(gate, exchange, request, { ...live, onStarted: (id) => (call_id = id) }, 0)
  const id = 'running' in begun ? begun.running : idIn(begun.outcome)
  // The call with this idempotency key may not have been made as a task.
  if (typeof id === 'string')
    return (await asTask(gate, exchange, id)) ?? refused(problem('call.key_reused', { call_id: id }))
  return refused(id)
}

/** Makes a call and waits for its outcome for a while; after that it continues as a task. */
export async function callOrTask(gate: McpPorts, exchange: McpExchange, request: CallRequest): Promise<Outcome> {
  const begun = await begin(gate, exchange, request, liveOf(exchange), TASK_AFTER_MS)
  return 'running' in begun ? { status: 'executing', call_id: begun.running } : begun.outcome
}

type Begun = { readonly outcome: Outcome } | { readonly running: CallId }

/** Resolves with the outcome, or with the call's id if it is still running after `wait_ms`. */
function begin(
  gate: McpPorts,
  exchange: McpExchange,
  request: CallRequest,
  live: CallListeners,
  wait_ms: number,
): Promise<Begun> {
  const { promise: running, resolve } = Promise.withResolvers<Begun>()
  let timer: NodeJS.Timeout | undefined
  let isTask = false
  const onStarted = (call_id: CallId) => {
    live.onStarted?.(call_id)
    timer = setTimeout(() => {
      isTask = true
      resolve({ running: call_id })
    }, wait_ms)
  }
  const ended = async (): Promise<Begun> => {
    try {
      return { outcome: await gate.dispatch({ ...request, as_task: true }, { ...live, onStarted }) }
    } catch (error) {
      if (isTask) exchange.onFault(error)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
  return Promise.race([running, ended()])
}

/** A request that did not become a call cannot be a task. */
function idIn(outcome: Outcome): CallId | Problem {
  if ('call_id' in outcome && outcome.call_id !== undefined) return outcome.call_id
  if (outcome.status !== 'refused') throw new Bug('an outcome that is not a refusal has a call id')
  return outcome.problem
}

const refused = (found: Problem): RpcResult =>
  inBand(refusalFor(specOf(found).retry === 'later' ? RPC.server : RPC.invalid_params, found))

/** A running call as a task; undefined if it was not made as a task. */
export async function asTask(gate: McpPorts, exchange: McpExchange, call_id: CallId): Promise<RpcResult | undefined> {
  const { era } = exchange
  const read = await readTaskIn(gate, readerOf(exchange), call_id)
  if (!read.ok) return undefined
  const task = taskWords(read.value, era)
  if (era === 'new') return { result: { ...task, resultType: 'task' } }
  const { statusMessage } = task
  return { result: { task, ...(statusMessage === undefined ? {} : { _meta: { [AT_ONCE]: statusMessage } }) } }
}

/** Messages about a task after its call was answered name the task. */
function related(message: JsonObject, taskId: CallId | undefined): JsonObject {
  const params = isJsonObject(message['params']) ? message['params'] : {}
  return taskId === undefined ? message : { ...message, params: { ...params, _meta: { [RELATED_TASK]: { taskId } } } }
}
