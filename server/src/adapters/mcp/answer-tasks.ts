import { abortSignalOf } from '../../kernel/ports/cancel.ts'
import type { McpPorts } from './mcp-ports.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { ok, problem, type Problem } from '../../kernel/contract/problems.ts'
import { readerOf, type McpExchange } from './exchange.ts'
import { readTaskIn, textsInTask } from './read-task-in.ts'
import type { Era } from './read-message.ts'
import { inBand, refusalFor, refusalOf, RPC, type RpcResult, type RpcRefusal } from './rpc.ts'
import { declaresTasks, detailedTask, RELATED_TASK, taskResult, TASKS_EXTENSION, taskWords } from './task-results.ts'

const PAGE = 50
const MOST_FOLLOWED = 100
const METHODS: Readonly<Record<Era, readonly string[]>> = {
  old: ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'],
  new: ['tasks/get', 'tasks/update', 'tasks/cancel'],
}

export const isTaskMethod = (method: string, era: Era): boolean => METHODS[era].includes(method)

/** Requests about calls that were made as tasks. */
export async function answerTasks(gate: McpPorts, method: string, exchange: McpExchange): Promise<RpcResult> {
  const { caller, era, params, meta } = exchange
  if (era === 'new' && !declaresTasks(meta)) return undeclared()
  if (method === 'tasks/list') return listed(gate, exchange)
  const { taskId } = params
  if (typeof taskId !== 'string') return bad(problem('mcp.params_invalid', { paths: 'taskId: missing' }))
  switch (method) {
    case 'tasks/cancel': {
      const ended = await gate.cancelTask(caller, taskId)
      const cancelled = await gate.labelled(readerOf(exchange), ended, textsInTask)
      if (era === 'old') return cancelled.ok ? { result: taskWords(cancelled.value, era) } : bad(cancelled.problem)
      // Cancelling is only a request: its effect shows in the task.
      return !cancelled.ok && cancelled.problem.code === 'task.unknown' ? bad(cancelled.problem) : { result: {} }
    }
    case 'tasks/result':
      return ended(gate, exchange, taskId)
    default: {
      const read = await readTaskIn(gate, readerOf(exchange), taskId)
      if (!read.ok) return bad(read.problem)
      // The client is never asked here: a person decides in the console, under their own name.
      if (method === 'tasks/update') return { result: {} }
      return { result: era === 'old' ? taskWords(read.value, era) : detailedTask(gate, caller, read.value) }
    }
  }
}

/** Waits until the task ends or the client stops waiting. */
async function ended(gate: McpPorts, exchange: McpExchange, taskId: string): Promise<RpcResult> {
  const { caller, signal } = exchange
  const now = await readTaskIn(gate, readerOf(exchange), taskId)
  if (!now.ok) return bad(now.problem)
  if (now.value.state === 'working') exchange.hold()
  const read =
    now.value.state === 'working' ? await readTaskIn(gate, readerOf(exchange), taskId, abortSignalOf(signal)) : now
  if (!read.ok) return bad(read.problem)
  if (read.value.state === 'working') return inBand(refusalOf(RPC.server, 'gate.stopping'))
  const answer = taskResult(gate, caller, read.value, exchange.era)
  if (!('result' in answer)) return answer
  const meta = answer.result['_meta'] as JsonObject | undefined
  return { result: { ...answer.result, _meta: { ...meta, [RELATED_TASK]: { taskId } } } }
}

async function listed(gate: McpPorts, exchange: McpExchange): Promise<RpcResult> {
  const {
    caller,
    params: { cursor },
  } = exchange
  const after = cursor === undefined ? undefined : positionIn(cursor)
  if (cursor !== undefined && after === undefined)
    return bad(problem('mcp.params_invalid', { paths: 'cursor: not valid' }))
  const page = await gate.listTasks(caller, { limit: PAGE, ...(after === undefined ? {} : { after }) })
  // A list contains the tool's reason if a task failed.
  const failed = ({ items }: typeof page) =>
    items.filter(({ outcome }) => outcome.status === 'failed').flatMap(textsInTask)
  const read = await gate.labelled(readerOf(exchange), ok(page), failed)
  if (!read.ok) return bad(read.problem)
  const { items, next } = read.value
  const tasks = items.map((task) => taskWords(task, 'old'))
  return { result: { tasks, ...(next === undefined ? {} : { nextCursor: `t${next}` }) } }
}

function positionIn(cursor: unknown): number | undefined {
  const digits = typeof cursor === 'string' ? /^t(\d{1,15})$/.exec(cursor)?.[1] : undefined
  return digits === undefined ? undefined : Number(digits)
}

/** The tasks of a subscription that belong to the caller. */
export async function followedTasks(
  gate: McpPorts,
  caller: Caller,
  filter: Json | undefined,
  meta: JsonObject,
): Promise<ReadonlySet<string> | RpcRefusal> {
  const wanted = isJsonObject(filter) ? (filter['taskIds'] ?? []) : []
  if (!Array.isArray(wanted) || wanted.length > MOST_FOLLOWED || !wanted.every((id) => typeof id === 'string'))
    return refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: `taskIds: at most ${MOST_FOLLOWED} names` })
  if (wanted.length > 0 && !declaresTasks(meta)) return undeclared()
  const found = await Promise.all(wanted.map((id) => gate.readTask(caller, id)))
  return new Set(found.flatMap((read) => (read.ok ? [read.value.call_id] : [])))
}

function undeclared(): RpcRefusal {
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
  return refusalOf(
    RPC.capability_missing,
    'mcp.capability_missing',
    { capability: TASKS_EXTENSION },
    { requiredCapabilities },
  )
}

const bad = (found: Problem): RpcResult =>
  inBand(refusalFor(found.code === 'task.not_stopped' ? RPC.server : RPC.invalid_params, found))
