import { markedFields } from './foreign-texts.ts'
import type { CancelSignal } from '../../kernel/ports/cancel.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import type { WatchReply } from '../../kernel/proxy/proxy-watch.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { isAtLeast, type LogLevel } from './log-level.ts'
import type { Era } from './read-message.ts'

/** One request in progress: who makes it (from the connection, never from the message), and how to send them messages. */
export type McpExchange = {
  readonly caller: Caller
  readonly era: Era
  readonly trace: string
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly idempotency_key: string | undefined
  /** Longer outputs, in characters, are moved to the artifact store. */
  readonly evict_over: number
  /** The stream that answers the request, if the client can resume it. */
  readonly answer_stream: string | undefined
  /** The lowest level of log lines that are passed on; undefined if the client wants none. */
  readonly log_level: LogLevel | undefined
  /** Sets the log level of a client from before 2026-07-28. */
  setLogLevel(level: LogLevel): void
  /** Resource subscriptions of a client from before 2026-07-28. */
  watch(uri: string): Promise<WatchReply>
  unwatch(uri: string): void
  /** A header that repeats an argument. `may_lack`: it may be missing, because no proxy could read it. */
  header(name: string): string | undefined
  readonly may_lack: boolean
  /** The session that the client names, in the header or in `_meta`. Without one, the caller's default session is used. */
  readonly thread: string | undefined
  /** Aborted when the client cancels the request. */
  readonly signal: CancelSignal
  /** The client's declared capabilities, from this message or from the start of its session. */
  capabilities(): Json | undefined
  /**
   * Asks a client from before 2026-07-28 something before the answer, if the connection allows that. Undefined if it does not
   * answer.
   */
  ask(question: { readonly method: string; readonly params: JsonObject }): Promise<JsonObject | undefined>
  /** Sends a message before the answer, if the connection allows that. */
  notify(message: JsonObject): void
  /** Keeps the connection open for an answer that may take long. */
  hold(): void
  /** Sends a message after the request was answered, on the client's listening stream if it has one. */
  notifyLater(message: JsonObject): void
  /** Called with errors that happen after the request was answered. */
  onFault(error: unknown): void
}

/** The caller as a reader: what they read is recorded in the session of the exchange. */
export const readerOf = ({ caller, thread }: Pick<McpExchange, 'caller' | 'thread'>): Reader => ({
  caller,
  ...(thread === undefined ? {} : { thread }),
})

/**
 * Connects a call to the client that waits for it: progress, log lines and cancellation. `to`: where its messages go, if not to the
 * exchange itself.
 */
export function liveOf(
  exchange: Pick<McpExchange, 'meta' | 'signal' | 'notify' | 'log_level'>,
  to: Pick<McpExchange, 'notify'> = exchange,
): CallListeners {
  const { meta, signal, log_level } = exchange
  const { progressToken } = meta
  const onLog = (line: JsonObject) => {
    if (log_level !== undefined && isAtLeast(line['level'], log_level))
      to.notify({ jsonrpc: '2.0', method: 'notifications/message', params: markedFields(line) })
  }
  // A client that wants progress notifications sends a token that identifies the call.
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number')
    return log_level === undefined ? { signal } : { signal, onLog }
  const onProgress: CallListeners['onProgress'] = (progress) =>
    to.notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { ...markedFields(progress), progressToken },
    })
  return log_level === undefined ? { signal, onProgress } : { signal, onProgress, onLog }
}
