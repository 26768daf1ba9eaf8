import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { ListenLimits } from '../../contract/auth-settings.ts'
import { PROBLEMS, problem, type Problem } from '../../contract/problems.ts'
import { problemBody } from './problem.ts'

const CHECKS_PER_WAIT = 4
const SLOWEST_CHECK_MS = 2_000

/** The limits that node:http needs when a server is created. */
export function serverOptions({ headers_ms, request_ms, header_bytes }: ListenLimits): ServerOptions {
  const shortest = Math.min(headers_ms, request_ms)
  return {
    maxHeaderSize: header_bytes,
    headersTimeout: Math.min(headers_ms, request_ms),
    requestTimeout: request_ms,
    connectionsCheckingInterval: Math.min(Math.ceil(shortest / CHECKS_PER_WAIT), SLOWEST_CHECK_MS),
    // Ambiguous requests are rejected: two lengths, bare line feeds, no Host header.
    insecureHTTPParser: false,
    requireHostHeader: true,
  }
}

/** Answers malformed requests with a problem, and limits the number of connections. */
export function guardServer(server: Server, limits: ListenLimits): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const isUnanswerable = !socket.writable || error.code === 'ECONNRESET' || hasAnswerUnderWay(socket)
    if (isUnanswerable) socket.destroy()
    else socket.end(rawProblem(problemOf(error, limits)), () => socket.destroy())
  })
  shedConnections(server, limits.connections)
}

/**
 * Whoever opens more connections than there may be closes the ones that have waited longest without a whole request, so
 * a flood of them keeps nobody out. INVARIANT: a connection whose request is being answered is never shed.
 */
function shedConnections(server: Server, most: number): void {
  /** Connections, the longest idle first, each with its last request. */
  const open = new Map<Socket, IncomingMessage | undefined>()
  const touch = (socket: Socket, request?: IncomingMessage) => {
    open.delete(socket)
    open.set(socket, request)
  }
  server.on('connection', (socket: Socket) => {
    touch(socket)
    socket.once('close', () => open.delete(socket))
    if (open.size <= most) return
    const shed = quietest(open) ?? socket
    open.delete(shed)
    shed.destroy()
  })
  server.on('request', (request, response) => {
    touch(request.socket, request)
    response.on('close', () => {
      if (open.has(request.socket)) touch(request.socket)
    })
  })
}

function quietest(open: ReadonlyMap<Socket, IncomingMessage | undefined>): Socket | undefined {
  for (const [socket, request] of open) if (request?.complete !== true) return socket
  return undefined
}

function problemOf({ code = 'unknown' }: NodeJS.ErrnoException, { header_bytes }: ListenLimits): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('request.headers_too_large', { limit: String(header_bytes) })
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? problem('request.too_slow')
    : problem('request.malformed', { because: code })
}

/** The first answer has begun, so a second one would be read as part of it. */
const hasAnswerUnderWay = (socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }) =>
  socket._httpMessage?.headersSent === true

function rawProblem(found: Problem): string {
  const body = JSON.stringify(problemBody(found, ''))
  const head = [
    `HTTP/1.1 ${PROBLEMS[found.code].http} Refused`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
