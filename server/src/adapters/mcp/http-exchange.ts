import { CancelSwitch } from '../../kernel/ports/cancel.ts'
import type { WatchReply } from '../../kernel/proxy/proxy-watch.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { traceOf } from '../http/trace-of.ts'
import type { RequestInProgress } from './requests-in-progress.ts'
import type { McpEventStream } from './event-stream.ts'
import type { McpExchange } from './exchange.ts'
import { acceptsType, clientKeyOf, headerOf, type ClientContext } from './http-context.ts'
import type { ListeningStreams } from './listening-streams.ts'
import { logLevelOf, type LogLevel } from './log-level.ts'
import type { Questions } from './2025/questions.ts'
import { CAPABILITIES_KEY, type Era, type McpRequest } from './read-message.ts'
import type { RpcId } from './rpc.ts'
import type { McpSessions } from './mcp-sessions.ts'
import type { WatchedResources } from './watched-resources.ts'

/** What all exchanges of a door share. */
export type ExchangeSetup = {
  readonly sessions: McpSessions
  readonly watched: WatchedResources
  readonly questions: Questions
  readonly listening: ListeningStreams
  readonly evict_over: number
  /** Turns the answer into a stream. With a name, the client can resume it. */
  readonly openAnswer: (client: ClientContext, name: string | undefined, onLost: () => void) => McpEventStream
  readonly onIncident: (error: unknown, trace: string) => string
}

/** What a request contains besides its message. */
type Named = {
  readonly thread: string | undefined
  readonly idempotency_key: string | undefined
  readonly answer_stream: string | undefined
}

const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const NOTHING = () => {}

/** One HTTP request while it is being answered. A class, because one is created per request and the methods are shared. */
export class HttpExchange implements McpExchange, RequestInProgress {
  readonly client: ClientContext
  readonly id: RpcId
  readonly era: Era
  readonly method: string
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly trace: string
  readonly thread: string | undefined
  readonly idempotency_key: string | undefined
  readonly answer_stream: string | undefined
  readonly signal = new CancelSwitch()
  place = -1
  since = 0
  readonly #deps: ExchangeSetup
  #stream: McpEventStream | undefined = undefined

  constructor(deps: ExchangeSetup, client: ClientContext, message: McpRequest, named: Named) {
    this.#deps = deps
    this.client = client
    this.id = message.id
    this.era = message.era
    this.method = message.method
    this.params = message.params
    this.meta = message.meta
    this.trace = traceOf(message.meta['traceparent']) ?? client.trace
    this.thread = named.thread
    this.idempotency_key = named.idempotency_key
    this.answer_stream = named.answer_stream
  }

  get caller(): Caller {
    return this.client.caller
  }

  get evict_over(): number {
    return this.#deps.evict_over
  }

  get may_lack(): boolean {
    return this.client.local
  }

  /** A client from before 2026-07-28 gets all log lines until it sets a level. Since then, a client gets only what it asks for. */
  get log_level(): LogLevel | undefined {
    if (this.era === 'new') return logLevelOf(this.meta[LOG_LEVEL_KEY])
    return this.#deps.sessions.logLevel(this.client)
  }

  /** The stream of the answer, if there is one already. */
  get stream(): McpEventStream | undefined {
    return this.#stream
  }

  get can_stream(): boolean {
    return this.era === 'old' && !this.client.local
  }

  /** Called when the answer to a client from before 2026-07-28 takes long. */
  becomeStream(): void {
    this.#streaming()
  }

  clientKey(): string {
    return clientKeyOf(this.client.caller, this.client.session)
  }

  cancel(): void {
    this.signal.abort()
  }

  setLogLevel(level: LogLevel): void {
    this.#deps.sessions.setLogLevel(this.client, level)
  }

  watch(uri: string): Promise<WatchReply> {
    const { thread, trace } = this
    return this.#deps.watched.subscribe(this.client, uri, { ...(thread === undefined ? {} : { thread }), trace })
  }

  unwatch(uri: string): void {
    this.#deps.watched.unsubscribe(this.client, uri)
  }

  header(name: string): string | undefined {
    return headerOf(this.client.request, name)
  }

  capabilities(): Json | undefined {
    return this.era === 'new' ? this.meta[CAPABILITIES_KEY] : this.#deps.sessions.capabilities(this.client)
  }

  async ask(question: { readonly method: string; readonly params: JsonObject }): Promise<JsonObject | undefined> {
    if (this.era === 'new' || !acceptsType(this.client.request, 'text/event-stream')) return undefined
    return this.#deps.questions.ask(this.clientKey(), question, (message) => this.notify(message), this.signal)
  }

  notify(message: JsonObject): void {
    this.#streaming()?.send(JSON.stringify(message))
  }

  hold(): void {
    this.#streaming()
  }

  notifyLater(message: JsonObject): void {
    this.#deps.listening.send(this.client.caller, this.client.session, message)
  }

  onFault(error: unknown): void {
    this.#deps.onIncident(error, this.client.trace)
  }

  #streaming(): McpEventStream | undefined {
    if (this.#stream !== undefined) return this.#stream
    const { request, response } = this.client
    if (response.destroyed || response.writableEnded || !acceptsType(request, 'text/event-stream')) return undefined
    const onLost = this.method === 'tasks/result' ? () => this.cancel() : NOTHING
    return (this.#stream = this.#deps.openAnswer(this.client, this.answer_stream, onLost))
  }
}
