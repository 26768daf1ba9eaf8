import type { McpPorts } from './mcp-ports.ts'
import type { CallTask } from '../../kernel/attempt/call-task.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import type { GateChange } from '../../kernel/contract/change.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { isAtLeast, type LogLevel } from './log-level.ts'
import { readTaskIn } from './read-task-in.ts'
import { detailedTask, taskWords } from './task-answers.ts'

type CallChange = Extract<GateChange, { kind: 'call' }>
type Send = (message: JsonObject) => void

/**
 * Notifies a client from before 2026-07-28 about its tasks, and about held calls that are not tasks: those as log messages, which
 * hosts show or pass to the model. `isMeant`: whether this connection is the right one for a conversation's notifications.
 */
export function notifyOfCalls(
  gate: McpPorts,
  reader: Reader,
  send: Send,
  { isMeant, level }: { isMeant(thread: string): boolean; level(): LogLevel },
): () => void {
  const { caller } = reader
  const reportTask = taskReporter(gate, reader, (task) =>
    send({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: taskWords(task, 'old') }),
  )
  return gate.changes.onChange(caller, (change) => {
    // An approver may see other callers' calls, but a client is notified only about its own.
    if (change.kind !== 'call' || change.asked_by !== caller.id || change.user !== caller.user) return
    const isNews = change.task === true || wasHeld(change)
    if (!isNews || !isMeant(change.thread)) return
    if (change.task === true) reportTask(change.call_id)
    else if (isAtLeast('notice', level())) send(logLine(change))
  })
}

/** Since 2026-07-28: notifies about the tasks that a subscription names, beginning with their current state. */
export function notifyOfTasks(
  gate: McpPorts,
  reader: Reader,
  send: Send,
  ids: ReadonlySet<string>,
  meta: JsonObject,
): () => void {
  const { caller } = reader
  const reportTask = taskReporter(gate, reader, (task) =>
    send({
      jsonrpc: '2.0',
      method: 'notifications/tasks',
      params: { ...detailedTask(gate, caller, task), _meta: meta },
    }),
  )
  const stop = gate.changes.onChange(caller, (change) => {
    if (change.kind === 'call' && ids.has(change.call_id)) reportTask(change.call_id)
  })
  for (const id of ids) reportTask(id)
  return stop
}

/** How many tasks are remembered with their last reported state, so that the same state is not reported twice. */
const REMEMBERED = 1_000

/** Reads and reports tasks one after the other, so that an older state is never reported after a newer one. */
function taskReporter(gate: McpPorts, reader: Reader, report: (task: CallTask) => void): (call_id: string) => void {
  const reported = new Map<string, string>()
  let reading = Promise.resolve()

  async function readAndReport(call_id: string): Promise<void> {
    const read = await readTaskIn(gate, reader, call_id)
    if (!read.ok) return
    const { state, outcome, updated_at } = read.value
    const news = `${state} ${outcome.status} ${updated_at}`
    if (reported.get(call_id) === news) return
    reported.delete(call_id)
    reported.set(call_id, news)
    const oldest = reported.size > REMEMBERED ? reported.keys().next().value : undefined
    if (oldest !== undefined) reported.delete(oldest)
    report(read.value)
  }

  return (call_id) => {
    // Delivery is not guaranteed: a client that needs the state asks for the task.
    reading = reading.then(() => readAndReport(call_id)).catch(() => {})
  }
}

const wasHeld = ({ approval_id, state }: CallChange) => approval_id !== undefined && state !== 'pending'

function logLine({ call_id, approval_id = '', tool_id, state }: CallChange): JsonObject {
  const says = `A call that was held is now ${state}; call_status with call_id ${call_id} returns its outcome.`
  const data = { call_id, approval_id, tool: tool_id, state, says }
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'notice', logger: 'sluice', data } }
}
