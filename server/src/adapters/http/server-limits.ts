import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ListenLimits } from '../../kernel/contract/auth-settings.ts'
import { problem, specOf, type Problem } from '../../kernel/contract/problems.ts'
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
    const isUnanswerable = !socket.writable || error.code === 'ECONNRESET' || hasStartedAnswer(socket)
    if (isUnanswerable) socket.destroy()
    else socket.end(rawProblem(problemOf(error, limits)), () => socket.destroy())
  })
  shedConnections(server, limits.connections)
}

/** An open connection, in a list that is sorted by how long each has been without a complete request. */
type Connection = {
  readonly socket: Socket
  /** Its request that is being received or answered. */
  request: IncomingMessage | undefined
  before: Connection | undefined
  after: Connection | undefined
}

/**
 * If there are too many connections, closes the one that has been without a complete request for the longest time, so a flood of
 * connections does not block other clients. INVARIANT: a connection whose request is being answered is never closed.
 */
function shedConnections(server: Server, most: number): void {
  const known = new WeakMap<Socket, Connection>()
  let count = 0
  let longest: Connection | undefined
  let newest: Connection | undefined

  function unlink(connection: Connection): void {
    const { before, after } = connection
    if (before === undefined) longest = after
    else before.after = after
    if (after === undefined) newest = before
    else after.before = before
    connection.before = undefined
    connection.after = undefined
  }

  function append(connection: Connection): void {
    connection.before = newest
    if (newest === undefined) longest = connection
    else newest.after = connection
    newest = connection
  }

  function touch(connection: Connection | undefined, request: IncomingMessage | undefined): void {
    if (connection === undefined) return
    connection.request = request
    if (connection === newest) return
    unlink(connection)
    append(connection)
  }

  function remove(socket: Socket): void {
    const connection = known.get(socket)
    if (connection === undefined) return
    known.delete(socket)
    connection.request = undefined
    unlink(connection)
    count -= 1
  }

  function longestWaiting(): Socket | undefined {
    for (let one = longest; one !== undefined; one = one.after) if (one.request?.complete !== true) return one.socket
    return undefined
  }

  server.on('connection', (socket: Socket) => {
    const connection: Connection = { socket, request: undefined, before: undefined, after: undefined }
    known.set(socket, connection)
    append(connection)
    count += 1
    socket.once('close', () => remove(socket))
    if (count <= most) return
    const shed = longestWaiting() ?? socket
    remove(shed)
    shed.destroy()
  })
  // Shared by all answers, so that no answer is retained by a closure.
  function answered(this: ServerResponse): void {
    touch(known.get(this.req.socket), undefined)
  }
  server.on('request', (request, response) => {
    touch(known.get(request.socket), request)
    response.on('close', answered)
  })
}

function problemOf({ code = 'unknown' }: NodeJS.ErrnoException, { header_bytes }: ListenLimits): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('request.headers_too_large', { limit: String(header_bytes) })
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? problem('request.too_slow')
    : problem('request.malformed', { because: code })
}

/** The first answer has begun, so a second one would be read as part of it. */
const hasStartedAnswer = (socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }) =>
  socket._httpMessage?.headersSent === true

function rawProblem(found: Problem): string {
  const body = JSON.stringify(problemBody(found, ''))
  const head = [
    `HTTP/1.1 ${specOf(found).http} Refused`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
