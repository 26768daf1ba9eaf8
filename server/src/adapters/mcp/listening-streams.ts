import type { McpPorts } from './mcp-ports.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { grantIdentity } from '../../kernel/contract/caller-identity.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { McpEventStream } from './event-stream.ts'
import { readerOf } from './exchange.ts'
import { type LogLevel, isAtLeast } from './log-level.ts'
import { textOf, type RpcId } from './rpc.ts'
import { threadOfSession } from './mcp-sessions.ts'
import type { CallTask } from '../../kernel/attempt/call-task.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import type { GateChange } from '../../kernel/contract/change.ts'
import { readTaskIn } from './read-task-in.ts'
import { detailedTask, taskWords } from './task-results.ts'

const MOST = 1_024
const MOST_PER_CALLER = 32
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

/** Streams that stay open for notifications: `GET /mcp`, and `subscriptions/listen` since 2026-07-28. */
export type ListeningStreams = {
  /** Whether the caller may open one more. */
  room(caller: Caller): Result<void>
  /** Sends notifications until the stream is closed. `id`: the id of a subscription, which ends with an answer. */
  attach(caller: Caller, stream: McpEventStream, wants: Wants, options: Attached): () => void
  /** Sends a message on the streams of a session, or on those of a caller without a session. */
  send(caller: Caller, session: string | undefined, message: JsonObject): void
  /** Ends the streams of a session. */
  endSession(session: string): void
  endAll(): void
}

/** A subscription with its id and the tasks it names, or the stream of a session from before 2026-07-28. */
export type Attached =
  | { readonly id: RpcId; readonly tasks: ReadonlySet<string>; readonly thread: string | undefined }
  | { readonly session: string | undefined; level(): LogLevel }

/** Which lists the client wants to be notified about. */
export type Wants = { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean }

const LISTS = ['tools', 'resources', 'prompts'] as const

/** Whether a capability announces change notifications. */
function announcesChanges(capabilities: JsonObject, list: (typeof LISTS)[number]): boolean {
  const capability = capabilities[list]
  return isJsonObject(capability) && capability['listChanged'] === true
}

export const wantsAll = (capabilities: JsonObject): Wants => ({
  tools: announcesChanges(capabilities, 'tools'),
  resources: announcesChanges(capabilities, 'resources'),
  prompts: announcesChanges(capabilities, 'prompts'),
})

/** What a subscription asks for, limited to what the gate offers. */
export function wantsOf(filter: Json | undefined, capabilities: JsonObject): Wants | undefined {
  if (!isJsonObject(filter)) return undefined
  const can = wantsAll(capabilities)
  return {
    tools: can.tools && filter['toolsListChanged'] === true,
    resources: can.resources && filter['resourcesListChanged'] === true,
    prompts: can.prompts && filter['promptsListChanged'] === true,
  }
}

export const isEmpty = (wants: Wants): boolean => LISTS.every((list) => !wants[list])

/** `watched` and `tasks`: the resources and tasks that the client is notified about. */
export function acknowledgement(
  id: RpcId,
  wants: Wants,
  watched: readonly string[],
  tasks: ReadonlySet<string>,
): JsonObject {
  const notifications = {
    ...Object.fromEntries(LISTS.filter((list) => wants[list]).map((list) => [`${list}ListChanged`, true])),
    ...(watched.length === 0 ? {} : { resourceSubscriptions: watched }),
    ...(tasks.size === 0 ? {} : { taskIds: [...tasks] }),
  }
  const params = { notifications, _meta: { [SUBSCRIPTION_KEY]: id } }
  return { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
}

type Open = {
  /** Whose it is: messages of one credential are not sent to a smaller one of the same caller. */
  readonly caller: string
  readonly session: string | undefined
  /** False for a stream of a session from before 2026-07-28. */
  readonly isSubscription: boolean
  send(message: JsonObject): void
  end(): void
}

export function createListeningStreams(gate: McpPorts): ListeningStreams {
  const open = new Set<Open>()

  /** Notifications about a conversation are sent on its own stream. If it has none, they are sent on all streams of the caller. */
  function isMeant(caller: string, session: string | undefined, thread: string): boolean {
    const isOf = (name: string | undefined) => name !== undefined && threadOfSession(name) === thread
    return isOf(session) || ![...open].some((one) => one.caller === caller && isOf(one.session))
  }

  return {
    room(caller) {
      const who = grantIdentity(caller)
      const own = [...open].filter((one) => one.caller === who).length
      if (open.size < MOST && own < MOST_PER_CALLER) return ok(undefined)
      return refuse('stream.too_many', { limit: String(MOST_PER_CALLER) })
    },
    attach(caller, stream, wants, attached) {
      const id = 'id' in attached ? attached.id : undefined
      const session = 'session' in attached ? attached.session : undefined
      const thread =
        'tasks' in attached ? attached.thread : session === undefined ? undefined : threadOfSession(session)
      const reader = readerOf({ caller, thread })
      const send = (message: JsonObject) => stream.send(JSON.stringify(message))
      const params = id === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_KEY]: id } } }
      const notifyOf = (list: (typeof LISTS)[number]) => {
        if (!wants[list]) return
        send({ jsonrpc: '2.0', method: `notifications/${list}/list_changed`, ...params })
      }
      const stops = [
        gate.changes.onChange(caller, ({ kind }) => {
          // Another policy may permit other tools.
          if (kind === 'tools' || kind === 'policy' || kind === 'reset') notifyOf('tools')
        }),
        gate.proxy.onNotification(caller, ({ method }) => {
          if (method === 'notifications/resources/list_changed') notifyOf('resources')
          if (method === 'notifications/prompts/list_changed') notifyOf('prompts')
        }),
        'tasks' in attached
          ? notifyOfTasks(gate, reader, send, attached.tasks, { [SUBSCRIPTION_KEY]: attached.id })
          : notifyOfCalls(gate, reader, send, {
              ...attached,
              isMeant: (thread) => isMeant(grantIdentity(caller), session, thread),
            }),
      ]
      const one: Open = {
        caller: grantIdentity(caller),
        session,
        isSubscription: id !== undefined,
        send,
        end: () => stream.end(id === undefined ? undefined : subscriptionEnd(gate, id)),
      }
      open.add(one)
      return () => {
        for (const stop of stops) stop()
        open.delete(one)
      }
    },
    send(caller, session, message) {
      const who = grantIdentity(caller)
      for (const one of open)
        if (!one.isSubscription && one.caller === who && one.session === session) one.send(message)
    },
    endSession(session) {
      for (const one of open) if (one.session === session) one.end()
    },
    endAll() {
      for (const one of open) one.end()
    },
  }
}

/** The answer to a subscription that the gate ends. A subscription whose connection is lost gets none. */
export function subscriptionEnd({ version }: McpPorts, id: RpcId): string {
  const meta = { [SUBSCRIPTION_KEY]: id, 'io.modelcontextprotocol/serverInfo': { name: 'sluice', version } }
  return textOf(id, { result: { resultType: 'complete', _meta: meta } })
}

type CallChange = Extract<GateChange, { kind: 'call' }>
type Send = (message: JsonObject) => void

/**
 * Notifies a client from before 2026-07-28 about its tasks, and about held calls that are not tasks: those as log messages, which
 * hosts show or pass to the model. `isMeant`: whether this connection is the right one for a conversation's notifications.
 */
function notifyOfCalls(
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
function notifyOfTasks(
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
