import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { buildReference } from './reference-features.ts'

/**
 * The server that the conformance suites test, directly and behind the gate: the official SDK, all protocol versions, every feature
 * the suites test. With `stdio` it uses stdin and stdout; otherwise it listens and prints its port.
 */
const isStdio = process.argv.includes('stdio')

/** Sessions for clients before 2026-07-28: only they can be asked something, and only they have resumable streams. */
function withSessions() {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request: Request): Promise<Response> => {
    const id = request.headers.get('mcp-session-id')
    const known = open.get(id ?? '')
    if (known !== undefined) return known.handleRequest(request)
    if (id !== null) return new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void open.set(session, transport),
      onsessionclosed: (session) => void open.delete(session),
      eventStore: rememberedEvents(),
      retryInterval: 200,
    })
    await buildReference().connect(transport)
    return transport.handleRequest(request)
  }
}

function rememberedEvents(): EventStore {
  const events: { readonly id: string; readonly stream: string; readonly message: object }[] = []
  return {
    async storeEvent(stream, message) {
      const id = `${stream}/${events.length}`
      events.push({ id, stream, message })
      return id
    },
    async replayEventsAfter(last, { send }) {
      const from = events.findIndex(({ id }) => id === last)
      const stream = events[from]?.stream ?? ''
      for (const event of events.slice(from + 1))
        // A priming event holds no message.
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message as never)
      return stream
    },
  }
}

function listen(): void {
  const handler = createMcpHandler(() => buildReference(() => handler.notify), { legacy: 'reject' })
  const legacy = withSessions()
  const listener = getRequestListener(async (request) => {
    const foreign =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (foreign !== undefined) return foreign
    const isOlder = await isLegacyRequest(request.clone())
    return isOlder ? legacy(request) : handler.fetch(request)
  })
  const server = createServer((request, response) => void listener(request, response))
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
  })
}

if (isStdio) serveStdio(() => buildReference())
else listen()
