import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../../kernel/contract/caller.ts'
import { grantIdentity } from '../../kernel/contract/caller-identity.ts'
import { Surface } from '../../kernel/contract/caller.ts'
import { specOf, type Problem } from '../../kernel/contract/problems.ts'
import type { RawRequest } from '../http/caller-of.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { problemBody } from '../http/problem.ts'
import { refusalOf, RPC, textOf, type RpcRefusal, type RpcId } from './rpc.ts'

/** One HTTP request at this door. */
export type HttpContext = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly local: boolean
  readonly trace: string
}

/** A request of an authenticated client, with its session and its surface. */
export type ClientContext = HttpContext & {
  readonly caller: Caller
  readonly session: string | undefined
  readonly surface: Surface
}

/** Identifies one client. Without a session, all connections with equal credentials of one caller count as one client. */
export const clientKeyOf = (caller: Caller, session: string | undefined) =>
  JSON.stringify([grantIdentity(caller), session ?? null])

export const rawRequestOf = ({ request, local }: HttpContext, addressOf: ClientAddress): RawRequest => ({
  local,
  remote: local ? '' : addressOf(request),
  connection: request.socket,
  header: (name) => headerOf(request, name),
})

export function headerFault(request: IncomingMessage): RpcRefusal | undefined {
  const type = request.headers['content-type'] ?? ''
  if (type !== 'application/json' && !/^application\/json\s*(;|$)/i.test(type))
    return refusalOf(RPC.server, 'request.media_type')
  return acceptsType(request, 'application/json') ? undefined : refusalOf(RPC.server, 'request.not_acceptable')
}

/** Whether the sender accepts this content type. Without an Accept header, every type is accepted. */
export function acceptsType(request: IncomingMessage, type: 'application/json' | 'text/event-stream'): boolean {
  const { accept } = request.headers
  if (accept === undefined || accept.includes(type) || accept.includes('*/*')) return true
  return accept.includes(`${type.slice(0, type.indexOf('/'))}/*`)
}

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** The surface that an address asks for; undefined if it names none. */
export function surfaceIn(url: string): ReturnType<typeof Surface.safeParse> | undefined {
  const query = url.indexOf('?')
  const wanted = query === -1 ? null : new URLSearchParams(url.slice(query + 1)).get('surface')
  return wanted === null ? undefined : Surface.safeParse(wanted)
}

export const commonHeaders = ({ trace }: HttpContext): Record<string, string> => ({
  'x-trace-id': trace,
  'x-content-type-options': 'nosniff',
})

export function writeText(
  context: HttpContext,
  status: number,
  text: string,
  more?: Readonly<Record<string, string>>,
): void {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-trace-id': context.trace,
    'x-content-type-options': 'nosniff',
    ...more,
  }
  context.response.writeHead(status, headers).end(text)
}

export function accept(context: HttpContext): void {
  context.response.writeHead(202, { ...commonHeaders(context), 'content-length': '0' }).end()
}

export function writeRefusal(context: HttpContext, id: RpcId | null, refusal: RpcRefusal): void {
  writeText(context, refusal.http, textOf(id, refusal))
}

/** Authentication errors have the same format as on the HTTP API. */
export function writeProblem(context: HttpContext, found: Problem, more: Readonly<Record<string, string>> = {}): void {
  const { retry_after_s } = found.about
  writeText(context, specOf(found).http, JSON.stringify(problemBody(found, context.trace)), {
    'content-type': 'application/problem+json',
    ...(retry_after_s === undefined ? {} : { 'retry-after': retry_after_s }),
    ...more,
  })
}
