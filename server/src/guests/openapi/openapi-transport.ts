import type { NamedServer } from '../../adapters/upstream/server-kind.ts'
import type { OAuthSettings } from '../../kernel/contract/http-settings.ts'
import type { OpenApiSettings } from './openapi-settings.ts'
import type { Pool } from 'undici'
import type { UpstreamCall, ToolReply } from '../../kernel/ports/upstream.ts'
import { count } from '../../kernel/contract/framed-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { problem } from '../../kernel/contract/problems.ts'
import type { ConnectionAttempt, Connection, ConnectionSetup } from '../../adapters/upstream/connection.ts'
import { asHeader } from '../../adapters/upstream/http/era-headers.ts'
import {
  exchange,
  type OutgoingExchange,
  type NoReply,
  type HttpReply,
  headerOf,
  mediaType,
} from '../../adapters/upstream/http/exchange.ts'
import { createLifetime } from '../../adapters/upstream/http/lifetime.ts'
import { openTokens, type RefusedToken, type Tokens } from '../../adapters/upstream/http/tokens.ts'
import { challengeOf } from '../../adapters/upstream/login/challenge.ts'
import { lost, notSent } from '../../adapters/upstream/pending-calls.ts'
import { singleCall } from '../../adapters/upstream/single-call.ts'
import { removeSecrets } from '../../adapters/upstream/remove-secrets.ts'
import type { UpstreamTuning } from '../../adapters/upstream/tuning.ts'
import type { ServerTransport } from '../../adapters/upstream/transport.ts'
import { buildRequest, encode, type BuiltRequest } from './build-request.ts'
import { operationsOf, type Operation } from './operations.ts'
import { readDocument, type Document } from './read-document.ts'
import { STATUS_CODES } from 'node:http'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { isTooDeep } from '../../adapters/upstream/messages.ts'
import { readBody } from '../../adapters/upstream/http/body.ts'
import { isJsonType } from './parameters.ts'

/** `query`: what every request adds besides its own parameters. */
export type OpenApiServer = Omit<OpenApiSettings, 'tools' | 'auth'> &
  NamedServer & { readonly oauth?: OAuthSettings; readonly query: Readonly<Record<string, string>> }

const MOST_WARNINGS = 20

/** An HTTP API described by a file. The file is read at each start; a call is one request, and no redirect is followed. */
export function openApiTransport(config: OpenApiServer, tuning: UpstreamTuning): ServerTransport {
  const tokens = config.oauth === undefined ? undefined : openTokens(config.oauth, tuning.start_timeout_ms)
  const secrets = () =>
    [
      ...Object.values(config.headers),
      ...Object.values(config.headers).map((value) => value.replace(/^\S+ /, '')),
      ...Object.values(config.query),
      ...Object.values(config.query).map(encode),
      config.oauth?.client_secret,
      ...(tokens?.secrets() ?? []),
    ].filter((text) => text !== undefined)
  const hide = (says: string) => removeSecrets(secrets(), says)

  async function connect(deps: ConnectionSetup): Promise<ConnectionAttempt> {
    deps.onStart()
    const document = await readDocument(config.openapi)
    if (typeof document === 'string') return { is: 'failed', says: document }
    const base = baseOf(config, document)
    if (typeof base === 'string') return { is: 'failed', says: base }
    const { operations, dropped } = operationsOf(document, {
      base: base.href,
      added: {
        headers: Object.keys(config.headers).map((name) => name.toLowerCase()),
        query: Object.keys(config.query),
      },
      isWanted: wantedBy(config),
    })
    for (const { name, says } of dropped.slice(0, MOST_WARNINGS))
      deps.warn(`its operation \`${name}\` is not offered: ${says}`)
    if (dropped.length > MOST_WARNINGS)
      deps.warn(`not offered either: ${count(dropped.length - MOST_WARNINGS, 'more operation')}`)
    try {
      await deps.onListed(
        config.name,
        operations.map(({ definition }) => definition),
      )
    } catch (error) {
      return { is: 'failed', says: String(error) }
    }
    const { openPool } = await import('../../adapters/upstream/http/pool.ts')
    return {
      is: 'open',
      connection: connectionTo(config, base, operations, { tokens, hide, pool: openPool(base.origin) }),
    }
  }

  return { connect, stderr: () => [], hide }
}

/** INVARIANT: a URL from the file never gets a credential (the configuration is rejected before). */
function baseOf(config: OpenApiServer, { root }: Document): URL | string {
  const servers = Array.isArray(root['servers']) ? (root['servers'] as Json[]) : []
  const [first] = servers
  const named = isJsonObject(first) && typeof first['url'] === 'string' ? first['url'] : undefined
  const url = URL.parse(config.base_url ?? named ?? '')
  const is_plain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!is_plain || url.search !== '' || url.hash !== '' || /[{}]|%7B|%7D/i.test(url.href))
    return 'the file names no address to send requests to; add `base_url`'
  return url
}

function wantedBy({ only, except }: OpenApiServer): (name: string) => boolean {
  const matcher = (globs: readonly string[]) => {
    const patterns = globs.map((glob) => new RegExp(`^${glob.split('*').map(literal).join('.*')}$`, 's'))
    return (name: string) => patterns.some((pattern) => pattern.test(name))
  }
  const isIn = only === undefined ? () => true : matcher(only)
  const isOut = matcher(except)
  return (name) => isIn(name) && !isOut(name)
}

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

type Asked = { readonly isGivenUp: () => boolean; readonly onAsk: (asking: OutgoingExchange) => void }
type Access = {
  readonly tokens: Tokens | undefined
  readonly hide: (says: string) => string
  readonly pool: Pool
}

function connectionTo(
  config: OpenApiServer,
  base: URL,
  operations: readonly Operation[],
  { tokens, hide, pool }: Access,
): Connection {
  const { name: server, output_limit: limit } = config
  const byName = new Map(operations.map((operation) => [operation.definition.name, operation]))
  // Also ends the requests in progress.
  const life = createLifetime(() => void pool.destroy())

  /** A token that is no longer accepted is replaced, once; the rejection means that nothing was done. */
  async function ask(request: BuiltRequest, operation: Operation, call: UpstreamCall, asked: Asked) {
    let refused: RefusedToken | undefined
    for (;;) {
      const token = await tokens?.token(refused)
      if (token?.ok === false) return unsent(token.says)
      if (asked.isGivenUp()) return unsent('the request was aborted')
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token.value}` }
      const headers = { ...ASKED, ...request.headers, ...lowerCased(config.headers), ...authorization }
      const asking = exchange(
        request.url,
        {
          method: operation.method,
          headers: { ...headers, 'idempotency-key': asHeader(call.idempotency_key) },
          ...(request.body === undefined ? {} : { body: request.body }),
          ...(config.mayAct === undefined ? {} : { mayAct: config.mayAct }),
        },
        pool,
      )
      asked.onAsk(asking)
      const reply = await asking.reply
      if (reply.is === 'fault' || token === undefined || refused !== undefined) return reply
      const challenge = challengeOf(reply)
      if (challenge === undefined || tokens?.concerns(challenge) !== true) return reply
      reply.body.drain()
      refused = { value: token.value, challenge, again: false }
    }
  }

  async function outcome(reply: HttpReply | NoReply, operation: Operation) {
    if (reply.is === 'fault')
      return reply.unsent
        ? notSent(server, hide(reply.says))
        : lost(server, 'tool.broke_off', { how: hide(reply.says) })
    return answerOf(operation, reply, { server, limit, hide })
  }

  const call: Connection['call'] = (call) => {
    const operation = byName.get(call.tool)
    if (operation === undefined) return Promise.resolve(notSent(server, 'the file has no such operation'))
    const args = JSON.parse(call.canonical_args) as Json
    const built = buildRequest(operation, base, config.query, isJsonObject(args) ? args : {})
    if (!built.ok)
      return Promise.resolve({ is: 'not_sent', problem: problem('call.args_invalid', { server, paths: built.says }) })
    let asking: OutgoingExchange | undefined
    let is_given_up = false
    if (!life.isUsable()) return Promise.resolve(notSent(server, 'the server was stopped'))
    const asked: Asked = { isGivenUp: () => is_given_up || !life.isUsable(), onAsk: (next) => (asking = next) }
    return singleCall(config, call, {
      start: async () => outcome(await ask(built.request, operation, call, asked), operation),
      cancel() {
        is_given_up = true
        const unsent = asking?.mayHaveLeft() !== true
        asking?.abort()
        return { unsent }
      },
    })
  }

  return {
    legacy: false,
    ended: life.ended,
    isUsable: () => life.isUsable(),
    call,
    tools: () => operations.length,
    late: () => 0,
    kill: () => life.end('stopped because it no longer answered'),
    async close() {
      life.end('closed')
    },
  }
}

const ASKED = { accept: 'application/json, */*;q=0.8', 'accept-encoding': 'identity', 'user-agent': 'sluice' }
const unsent = (says: string): NoReply => ({ is: 'fault', says, unsent: true, unreachable: false })
const lowerCased = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** From a proxy that passed the request on and got no answer: the outcome is unknown. */
const NO_ANSWER = new Set([502, 504])
/** Headers that are useful in an answer without a body. */
const SHOWN_HEADERS = ['location', 'content-type', 'content-length', 'last-modified', 'etag'] as const

type AnswerPorts = {
  readonly server: string
  readonly limit: number
  readonly hide: (text: string) => string
}

/** What a reply means for the call. A status other than 2xx is the tool's own error, with what the server says about it. */
async function answerOf(operation: Operation, reply: HttpReply, deps: AnswerPorts): Promise<ToolReply> {
  const { server, limit } = deps
  const { status } = reply
  const body = await readBody(reply.body, limit)
  if (body === 'too_large') return lost(server, 'tool.too_large', { limit: String(limit) })
  if (body === 'broke_off') return lost(server, 'tool.broke_off', { how: 'its answer was cut off' })
  if ((headerOf(reply, 'content-encoding') ?? 'identity') !== 'identity')
    return lost(server, 'tool.garbled', {
      status: String(status),
      why: 'it is compressed, although that was not requested',
    })
  if (NO_ANSWER.has(status) && operation.method !== 'GET' && operation.method !== 'HEAD')
    return lost(server, 'tool.broke_off', { how: `a proxy answered HTTP ${status}` })
  const result = status >= 200 && status < 300 ? success(reply, body, deps) : failure(reply, body, deps)
  return { is: 'answered', result: { ...result, _meta: { 'sluice/http-status': status } } }
}

function success(reply: HttpReply, body: Buffer, { hide }: AnswerPorts): ToolResult {
  if (body.length === 0) return { content: [text(hide([statusOf(reply), ...headersToShow(reply)].join('\n')))] }
  const type = mediaType(reply)
  if (!isText(type, body)) return { content: [binary(type, body)] }
  const said = hide(body.toString())
  const value = isJsonType(type) ? parsed(said) : undefined
  return { content: [text(said)], ...(isJsonObject(value) && !isTooDeep(value) ? { structuredContent: value } : {}) }
}

function failure(reply: HttpReply, body: Buffer, { hide }: AnswerPorts): ToolResult {
  const elsewhere =
    reply.status >= 300 && reply.status < 400 ? ['It redirects to another address, which is not followed.'] : []
  const said = isText(mediaType(reply), body) ? [hide(body.toString())] : []
  return { content: [text([statusOf(reply), ...elsewhere, ...said].join('\n').trimEnd())], isError: true }
}

const text = (said: string): JsonObject => ({ type: 'text', text: said })
const statusOf = ({ status }: HttpReply) => `HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
const headersToShow = (reply: HttpReply) =>
  SHOWN_HEADERS.flatMap((name) => {
    const value = headerOf(reply, name)
    return value === undefined ? [] : [`${name}: ${value}`]
  })

function isText(type: string, body: Buffer): boolean {
  if (/^text\/|^application\/(?:xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)$|\+xml$|\+yaml$/.test(type))
    return true
  return isJsonType(type) || (type === '' && !body.includes(0))
}

function binary(type: string, body: Buffer): JsonObject {
  const data = body.toString('base64')
  const kind = /^(image|audio)\//.exec(type)?.[1]
  if (kind !== undefined) return { type: kind, data, mimeType: type }
  const mimeType = type === '' ? 'application/octet-stream' : type
  return { type: 'resource', resource: { uri: 'sluice:answer', mimeType, blob: data } }
}

function parsed(said: string): Json | undefined {
  try {
    return JSON.parse(said) as Json
  } catch {
    return undefined
  }
}
