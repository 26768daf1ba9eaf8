import { markedFields } from './foreign-texts.ts'
import type { CancelSignal } from '../../commands/ports/cancel.ts'
import type { CallListeners } from '../../commands/ports/upstream.ts'
import type { Reader } from '../../commands/provenance/enter-session.ts'
import type { WatchAnswer } from '../../commands/proxy/proxy-watch.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import { isLoudEnough, type LogLevel } from './log-level.ts'
import type { Era } from './read-message.ts'

/** One request under way: who makes it, taken from the connection and never from the message, and how to reach them. */
export type Exchange = {
  readonly caller: Caller
  readonly era: Era
  readonly trace: string
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly idempotency_key: string | undefined
  /** Over how many characters an output moves to the artifact store. */
  readonly evict_over: number
  /** By which the request is answered, where its client may come back for the answer. */
  readonly answer_stream: string | undefined
  /** The least a line must matter to be passed on; undefined for a client that wants none. */
  readonly log_level: LogLevel | undefined
  /** Remembers what an older client wants to hear from now on. */
  setLogLevel(level: LogLevel): void
  /** Of an older client: what it wants to be told of from now on. */
  watch(uri: string): Promise<WatchAnswer>
  unwatch(uri: string): void
  /** A header that repeats an argument; `may_lack` where nobody on the way could read it. */
  header(name: string): string | undefined
  readonly may_lack: boolean
  /** The session that the client names, by its header or in `_meta`; without one the caller's own goes on. */
  readonly thread: string | undefined
  /** Told when the client calls the request off. */
  readonly signal: CancelSignal
  /** What the client said it can do, now or at the start of its session. */
  capabilities(): Json | undefined
  /** Asks an older client something before the answer, where the connection can carry that; undefined when it does not answer. */
  ask(question: { readonly method: string; readonly params: JsonObject }): Promise<JsonObject | undefined>
  /** Sends a message before the answer, where the connection can carry one. */
  notify(message: JsonObject): void
  /** Keeps the connection open for an answer that may be long in coming. */
  hold(): void
  /** Sends a message when the request is answered already: by the client's listening stream, where it has one. */
  tell(message: JsonObject): void
  /** Told of what goes wrong when the request is answered already. */
  onFault(error: unknown): void
}

/** Who reads: what is read enters the session of the exchange. */
export const readerOf = ({ caller, thread }: Pick<Exchange, 'caller' | 'thread'>): Reader => ({
  caller,
  ...(thread === undefined ? {} : { thread }),
})

/** What binds a call to the client that waits for it. `notify`: where its messages go, if not to the exchange itself. */
export function liveOf(
  exchange: Pick<Exchange, 'meta' | 'signal' | 'notify' | 'log_level'>,
  notify: Exchange['notify'] = (message) => exchange.notify(message),
): CallListeners {
  const { meta, signal, log_level } = exchange
  const { progressToken } = meta
  const onLog = (line: JsonObject) => {
    if (log_level !== undefined && isLoudEnough(line['level'], log_level))
      notify({ jsonrpc: '2.0', method: 'notifications/message', params: markedFields(line) })
  }
  // A client that wants to hear of progress names a token, under which it knows the call.
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number')
    return log_level === undefined ? { signal } : { signal, onLog }
  const onProgress: CallListeners['onProgress'] = (progress) =>
    notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { ...markedFields(progress), progressToken },
    })
  return log_level === undefined ? { signal, onProgress } : { signal, onProgress, onLog }
}
