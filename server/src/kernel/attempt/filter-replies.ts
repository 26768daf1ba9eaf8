import type { JsonObject } from '../contract/json.ts'
import type { CallListeners, Progress, ToolServers, ToolReply, UpstreamCall } from '../ports/upstream.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import { withResult } from '../ports/maybe-promise.ts'

/** Removes something from the messages of a tool server while it works. Synchronous, so that messages stay in order. */
export type MessageFilter = {
  progress(progress: Progress): Progress
  logLine(line: JsonObject): JsonObject
}

/** Removes something from every message of a tool server during a call. */
export type ReplyFilter = MessageFilter & {
  /** Returns the same object if there is nothing to remove. */
  answer(answer: ToolReply): MaybePromise<ToolReply>
}

/** Listeners whose messages pass every filter, in this order. Only functions that exist are wrapped, because few servers send such messages. */
export function filterMessages(
  { onProgress, onLog }: CallListeners,
  filters: readonly MessageFilter[],
): Pick<CallListeners, 'onProgress' | 'onLog'> {
  const filtered: { -readonly [Name in 'onProgress' | 'onLog']?: CallListeners[Name] } = {}
  if (onProgress !== undefined)
    filtered.onProgress = (progress) => onProgress(filters.reduce((sofar, one) => one.progress(sofar), progress))
  if (onLog !== undefined) filtered.onLog = (line) => onLog(filters.reduce((sofar, one) => one.logLine(sofar), line))
  return filtered
}

/** Wraps the tool servers so that each of their messages passes every filter, in this order, before anybody sees or stores it. */
export function filterReplies(servers: ToolServers, filters: readonly ReplyFilter[]): ToolServers {
  const filtered = (answer: ToolReply): MaybePromise<ToolReply> =>
    filters.reduce<MaybePromise<ToolReply>>((sofar, one) => withResult(sofar, one.answer), answer)
  const listening = (call: UpstreamCall): UpstreamCall => ({ ...call, ...filterMessages(call, filters) })
  return {
    generation: (server) => servers.generation(server),
    call: (call) =>
      servers.call(call.onProgress === undefined && call.onLog === undefined ? call : listening(call)).then(filtered),
  }
}
