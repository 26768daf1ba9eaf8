import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Message = { id?: string | number; method?: string; params?: Record<string, unknown> }
export type HttpCall = {
  readonly id: string | number
  readonly name: string
  readonly args: Record<string, unknown>
  readonly meta: Record<string, unknown>
  readonly request: IncomingMessage
  readonly response: ServerResponse
}
export type ReceivedRequest = {
  readonly method: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export const resultOf = (id: HttpCall['id'], text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
})
export const sendJson = (
  response: ServerResponse,
  message: unknown,
  status = 200,
  headers: Record<string, string> = {},
) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(message))
export const answer = ({ id, response }: HttpCall, text: string) => sendJson(response, resultOf(id, text))
export const openStream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
export const sendEvent = (response: ServerResponse, message: object) =>
  response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)

/**
 * A streamable HTTP server of the 2025 era written by hand, so that it can misbehave in ways no SDK allows. It remembers what it
 * was sent: the tool `heard` answers with every request.
 */
export function serveRawHttp(options: {
  readonly tools: () => readonly object[]
  readonly onCall: (call: HttpCall) => void
  /** Sees every request before its body is read; true means that it was handled. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean
}) {
  const received: ReceivedRequest[] = []
  const sessions = new Set<string>()
  const standing = new Set<ServerResponse>()

  function onMessage(message: Message, request: IncomingMessage, response: ServerResponse): void {
    const { id, method, params } = message
    const session = request.headers['mcp-session-id']
    if (method === 'initialize') {
      const opened = randomUUID()
      sessions.add(opened)
      const capabilities = { tools: { listChanged: true } }
      const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'raw', version: '1' } }
      return void sendJson(response, { jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': opened })
    }
    if (typeof session !== 'string') return void response.writeHead(400).end('no session')
    if (!sessions.has(session)) return void response.writeHead(404).end('no such session')
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/list') {
      const tools = [{ name: 'heard' }, ...options.tools()].map((tool) => ({
        inputSchema: { type: 'object' },
        ...tool,
      }))
      return void sendJson(response, { jsonrpc: '2.0', id, result: { tools } })
    }
    if (method !== 'tools/call') {
      const error = { code: -32601, message: `no method ${method}` }
      return void sendJson(response, { jsonrpc: '2.0', id, error })
    }
    const args = (params?.['arguments'] ?? {}) as HttpCall['args']
    const meta = (params?.['_meta'] ?? {}) as HttpCall['meta']
    const call = { id, name: String(params?.['name']), args, meta, request, response }
    if (call.name === 'heard') answer(call, JSON.stringify(received))
    else options.onCall(call)
  }

  const server = createServer((request, response) => {
    if (options.before?.(request, response) === true) return
    const parts: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      received.push({ method: request.method ?? '', headers: request.headers, body })
      if (request.method === 'POST') return onMessage(JSON.parse(body) as Message, request, response)
      if (request.method === 'DELETE') return void response.writeHead(204).end()
      openStream(response).flushHeaders()
      standing.add(response)
      response.on('close', () => standing.delete(response))
    })
  })
  server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
  })
  return { received, sessions, standing }
}
