import { STATUS_CODES } from 'node:http'
import type { UpstreamAnswer } from '../../kernel/ports/upstream.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { isTooDeep } from '../../adapters/upstream/frames.ts'
import { readBody } from '../../adapters/upstream/http/body.ts'
import { headerOf, mediaType, type Reply } from '../../adapters/upstream/http/exchange.ts'
import { lost } from '../../adapters/upstream/pending-calls.ts'
import type { Operation } from './operations.ts'
import { isJsonType } from './parameters.ts'

/** From a proxy that passed the request on and got no answer: the outcome is unknown. */
const NO_ANSWER = new Set([502, 504])
/** Headers that are useful in an answer without a body. */
const SHOWN_HEADERS = ['location', 'content-type', 'content-length', 'last-modified', 'etag'] as const

export type AnswerDeps = {
  readonly server: string
  readonly limit: number
  readonly hide: (text: string) => string
}

/** What a reply means for the call. A status other than 2xx is the tool's own error, with what the server says about it. */
export async function answerOf(operation: Operation, reply: Reply, deps: AnswerDeps): Promise<UpstreamAnswer> {
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

function success(reply: Reply, body: Buffer, { hide }: AnswerDeps): ToolResult {
  if (body.length === 0) return { content: [text(hide([statusOf(reply), ...headersToShow(reply)].join('\n')))] }
  const type = mediaType(reply)
  if (!isText(type, body)) return { content: [binary(type, body)] }
  const said = hide(body.toString())
  const value = isJsonType(type) ? parsed(said) : undefined
  return { content: [text(said)], ...(isJsonObject(value) && !isTooDeep(value) ? { structuredContent: value } : {}) }
}

function failure(reply: Reply, body: Buffer, { hide }: AnswerDeps): ToolResult {
  const elsewhere =
    reply.status >= 300 && reply.status < 400 ? ['It redirects to another address, which is not followed.'] : []
  const said = isText(mediaType(reply), body) ? [hide(body.toString())] : []
  return { content: [text([statusOf(reply), ...elsewhere, ...said].join('\n').trimEnd())], isError: true }
}

const text = (said: string): JsonObject => ({ type: 'text', text: said })
const statusOf = ({ status }: Reply) => `HTTP ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
const headersToShow = (reply: Reply) =>
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
