import type { McpPorts } from './mcp-ports.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { asProgram, type Caller } from '../../kernel/contract/caller.ts'
import { Surface } from '../../kernel/contract/caller.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { problem, specOf } from '../../kernel/contract/problems.ts'
import { BODY_LIMIT } from '../http/body-limit.ts'
import type { AuthenticateRequest } from '../http/caller-of.ts'
import type { ClientAddress } from '../http/client-address.ts'
import type { DoorListener } from '../http/listen.ts'
import { knownHost } from '../http/known-host.ts'
import { traceOf } from '../http/trace-of.ts'
import { answerRequest, completed } from './answer-request.ts'
import { createRequestsInProgress } from './requests-in-progress.ts'
import { openEventStream, type McpEventStream } from './event-stream.ts'
import {
  accept,
  commonHeaders,
  headerFault,
  headerOf,
  rawRequestOf,
  pathOf,
  surfaceIn,
  clientKeyOf,
  writeProblem,
  writeRefusal,
  writeText,
  type ClientContext,
  type HttpContext,
} from './http-context.ts'
import { HttpExchange, type ExchangeSetup } from './http-exchange.ts'
import { listeningDoor } from './open-listening.ts'
import { readBody } from '../http/read-body.ts'
import { relayedMessages } from './2025/relayed-messages.ts'
import { relayedStreams } from './2025/relayed-streams.ts'
import { createResumableStreams } from './2025/resumable-streams.ts'
import { createQuestions } from './2025/questions.ts'
import { readMessage, type Era, type Notification, type McpRequest } from './read-message.ts'
import { isMetadataPath, METADATA_PATHS, metadataUrl, resourceMetadata, resourceUrl } from './resource-metadata.ts'
import { refusalFor, refusalOf, RPC, textOf, type RpcRefusal } from './rpc.ts'
import { createMcpSessions, idempotencyKeyOf, threadOf } from './mcp-sessions.ts'
import { createListeningStreams } from './listening-streams.ts'
import { newStreamName } from './2025/stream-names.ts'
import { createWatchedResources } from './watched-resources.ts'

export type McpDoor = {
  readonly gate: McpPorts
  readonly authenticate: AuthenticateRequest
  /** The default surface, for clients that choose none by address or key. */
  readonly surface: Surface
  /** Longer outputs, in characters, are moved to the artifact store. */
  readonly evict_over: number
  /** The address of `/mcp` as clients know it; by default the one they used. */
  readonly url?: string | undefined
  /** The issuers whose tokens this gate accepts. */
  readonly authorization_servers: readonly string[]
  readonly hosts: readonly string[]
  readonly addressOf: ClientAddress
  readonly clock: () => number
  readonly newTrace: () => string
  readonly stopping: AbortSignal
  readonly onIncident: (error: unknown, trace: string) => string
}

/** The paths that this door handles before the API's router. */
export const MCP_PATHS: readonly string[] = ['/mcp', ...METADATA_PATHS]

/**
 * If an answer to a client from before 2026-07-28 takes longer, it becomes a stream, which can be resumed and which proxies do not
 * close as idle.
 */
const LONG_MS = 1_000

/**
 * MCP over HTTP, for all protocol versions, on plain `node:http`: parse, authenticate, dispatch, write. Running requests,
 * subscriptions and interrupted streams are in memory, but a client can continue without them at another process.
 */
export function mcpListener(door: McpDoor): DoorListener {
  const { gate } = door
  const sessions = createMcpSessions()
  const inProgress = createRequestsInProgress(LONG_MS)
  const listening = createListeningStreams(gate)
  const watched = createWatchedResources(gate)
  const questions = createQuestions()
  const resumable = createResumableStreams()
  const stillAllowed = (context: HttpContext) => async () =>
    (await door.authenticate(rawRequestOf(context, door.addressOf))).ok
  const onFault = (error: unknown) => void door.onIncident(error, door.newTrace())
  const messages = relayedMessages({ gate, inProgress, questions, onFault })
  const relayed = relayedStreams({ gate, resumable, stopping: door.stopping, onFault })
  const streamDeps = { gate, sessions, listening, watched, resumable, relayed, stillAllowed }
  const { evict_over, onIncident } = door
  const exchangeDeps: ExchangeSetup = { sessions, watched, questions, listening, evict_over, openAnswer, onIncident }
  const { openListening, openSubscription } = listeningDoor(streamDeps)
  const isOurs = knownHost(door.hosts)
  door.stopping.addEventListener('abort', () => listening.endAll())
  gate.relay.onNotice((notice) => notice.is === 'ended' && forget(notice.session))

  async function serve(context: HttpContext, path: string): Promise<void> {
    const { request, local } = context
    const { headers } = request
    if (!local && !isOurs({ host: headers.host, origin: headers.origin }))
      return writeProblem(context, problem('request.foreign_host'))
    if (isMetadataPath(path)) return writeMetadata(context)
    // Both run in parallel: a request without a valid key is rejected without waiting for its whole body.
    const reading = request.method === 'POST' ? readBody(request, BODY_LIMIT) : undefined
    const authenticated = door.authenticate(rawRequestOf(context, door.addressOf))
    const caller = authenticated instanceof Promise ? await authenticated : authenticated
    if (!caller.ok) {
      const metadata = metadataUrl(resourceUrl(door.url, headers.host))
      const challenge = { 'www-authenticate': `Bearer realm="sluice", resource_metadata="${metadata}"` }
      return writeProblem(context, caller.problem, specOf(caller.problem).http === 401 ? challenge : {})
    }
    // An MCP client acts for its user, also with a person's credential.
    const found = clientOf(context, asProgram(caller.value))
    const client = found instanceof Promise ? await found : found
    if ('error' in client) return writeRefusal(context, null, client)
    if (request.method === 'GET') return await openListening(client)
    if (request.method === 'DELETE') return await endSession(client)
    if (reading === undefined)
      return writeProblem(context, problem('request.method_not_allowed'), { allow: 'GET, POST, DELETE' })
    const body = await reading
    if (!body.ok) {
      const rpc = body.problem.code === 'request.not_ijson' ? RPC.parse_error : RPC.server
      return writeRefusal(context, null, refusalFor(rpc, body.problem))
    }
    return post(client, body.value)
  }

  function writeMetadata(context: HttpContext): void {
    const { method, headers } = context.request
    if (method !== 'GET') return writeProblem(context, problem('request.method_not_allowed'), { allow: 'GET' })
    const metadata = resourceMetadata(resourceUrl(door.url, headers.host), door.authorization_servers)
    return writeText(context, 200, JSON.stringify(metadata))
  }

  /** The caller's session and the surface it wants. */
  function clientOf(context: HttpContext, caller: Caller): MaybePromise<ClientContext | RpcRefusal> {
    const { request, response, local, trace } = context
    const session = headerOf(request, 'mcp-session-id')
    if (session !== undefined && !sessions.isOf(session, caller)) return unknownSession()
    const chosen = surfaceIn(request.url ?? '')
    if (chosen?.success === false)
      return refusalOf(RPC.server, 'request.invalid', { paths: `surface: one of ${Surface.options.join(', ')}` })
    const surface = chosen?.data ?? caller.surface ?? door.surface
    const client = { request, response, local, trace, caller, session, surface }
    if (session === undefined) return client
    return withResult(gate.relay.hasEnded(session), (has_ended) => (has_ended ? unknownSession() : client))
  }

  function post(client: ClientContext, body: string): MaybePromise<void> {
    const { request, local, caller, session } = client
    const wrong = headerFault(request)
    if (wrong !== undefined) return writeRefusal(client, null, wrong)
    const read = readJson(body)
    if (!read.ok) return writeRefusal(client, null, refusalFor(RPC.parse_error, read.problem))
    const mirrored = {
      version: headerOf(request, 'mcp-protocol-version'),
      method: headerOf(request, 'mcp-method'),
      name: headerOf(request, 'mcp-name'),
    }
    const message = readMessage(read.value, mirrored, local)
    switch (message.is) {
      case 'refused':
        return writeRefusal(client, message.id, message.refusal)
      case 'request':
        return message.method === 'subscriptions/listen' && message.era === 'new'
          ? openSubscription(client, message)
          : answer(client, message)
      case 'notification':
        handleNotification(message, clientKeyOf(caller, session))
        return accept(client)
      case 'reply': {
        const clientKey = clientKeyOf(caller, session)
        if (!questions.acceptAnswer(clientKey, message.id, message.result))
          messages.replied(caller, clientKey, message.id, message.result)
        return accept(client)
      }
      default:
        return message satisfies never
    }
  }

  function handleNotification({ method, params }: Notification, clientKey: string): void {
    const id = params['requestId']
    if (method !== 'notifications/cancelled' || (typeof id !== 'string' && typeof id !== 'number')) return
    if (!inProgress.cancel(clientKey, id)) messages.cancelled(clientKey, id)
  }

  function answer(client: ClientContext, message: McpRequest): void {
    const { request, response, session } = client
    const { era, id, method, params, meta } = message
    const thread = threadOf(session, meta)
    if (!thread.ok) return writeRefusal(client, id, refusalFor(RPC.invalid_params, thread.problem))
    const key = idempotencyKeyOf(headerOf(request, 'idempotency-key'), meta)
    if (!key.ok) return writeRefusal(client, id, refusalFor(RPC.invalid_params, key.problem))
    const exchange = new HttpExchange(exchangeDeps, client, message, {
      thread: thread.value,
      idempotency_key: key.value,
      answer_stream: canResume(client, era) ? newStreamName(id, door.clock()) : undefined,
    })
    // A client from before 2026-07-28 that disconnects may come back for the answer. Since then, disconnecting cancels the request.
    if (era === 'new' || (method === 'tasks/result' && !canResume(client, era)))
      response.once('close', () => response.writableEnded || exchange.cancel())
    const begun = method === 'initialize' && era === 'old' ? begin(client, params) : undefined
    inProgress.begin(exchange)
    void finish(exchange, begun)
  }

  /** Never rejects, so nobody waits for it: a waiting function would keep all its values in memory until the tool answers. */
  async function finish(exchange: HttpExchange, begun: Readonly<Record<string, string>> | undefined): Promise<void> {
    const { client, era, id, method } = exchange
    try {
      const answering = answerRequest(gate, method, exchange, client.surface)
      const answered = completed(gate, era, answering instanceof Promise ? await answering : answering)
      const text = textOf(id, answered)
      if (exchange.stream !== undefined) exchange.stream.end(text)
      else writeText(client, 'result' in answered ? 200 : answered.http, text, begun)
    } catch (error) {
      fail(client, error)
    } finally {
      inProgress.end(exchange)
    }
  }

  function fail(context: HttpContext, error: unknown): void {
    const found = problem('internal', { incident: door.onIncident(error, context.trace) })
    if (context.response.headersSent) context.response.destroy()
    else writeProblem(context, found)
  }

  /** Sends the answer as a stream. A client from before 2026-07-28 can resume it. */
  function openAnswer(client: ClientContext, name: string | undefined, onLost: () => void): McpEventStream {
    const { response } = client
    const live = openEventStream(response, commonHeaders(client))
    if (name === undefined) return live
    const kept = resumable.keep(name, client, live, onLost)
    response.once('close', kept.close)
    return kept
  }

  function begin({ caller }: ClientContext, { capabilities = {} }: JsonObject): Record<string, string> {
    const session = sessions.begin(caller)
    sessions.setCapabilities({ caller, session }, capabilities)
    return { 'mcp-session-id': session }
  }

  function forget(session: string): void {
    listening.endSession(session)
    watched.endSession(session)
  }

  /** Ends the session on every node. */
  async function endSession(client: ClientContext): Promise<void> {
    if (client.session === undefined) return writeRefusal(client, null, unknownSession())
    const ended = await gate.relay.endSession(client.session)
    if (!ended.ok) return writeRefusal(client, null, refusalFor(RPC.server, ended.problem))
    forget(client.session)
    client.response.writeHead(200, { ...commonHeaders(client), 'content-length': '0' }).end()
  }

  return (request, response, local) => {
    const path = pathOf(request.url ?? '')
    if (path !== '/mcp' && !MCP_PATHS.includes(path)) return false
    const trace = traceOf(request.headers.traceparent) ?? door.newTrace()
    const context: HttpContext = { request, response, local, trace }
    serve(context, path).catch((error: unknown) => fail(context, error))
    return true
  }
}

const unknownSession = (): RpcRefusal => refusalOf(RPC.session_not_found, 'mcp.session_unknown')

/** Before 2025-11-25 clients treat an event without a message as an error. On the local socket, streams are not interrupted. */
const canResume = ({ request, session, local }: ClientContext, era: Era): boolean =>
  era === 'old' && !local && session !== undefined && (headerOf(request, 'mcp-protocol-version') ?? '') >= '2025-11-25'
