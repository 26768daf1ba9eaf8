import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/**
 * A server of the official SDK. `both` supports both eras without sessions, `modern` only the newer one, `sessions` only the older
 * one, with sessions. The second argument makes it answer as `json` or as `sse`.
 */
const [how = 'both', mode = 'auto'] = process.argv.slice(2)
let is_grown = false
let grow: () => void = () => undefined

function build(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } })
  server.registerTool('meta', { inputSchema: z.object({ text: z.string() }) }, ({ text }, context) => {
    const said = { text, meta: context.mcpReq._meta, headers: Object.fromEntries(context.http?.req?.headers ?? []) }
    return { content: [{ type: 'text', text: JSON.stringify(said) }] }
  })
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const inputSchema = fromJsonSchema<{ region?: string }>({ type: 'object', properties: { region } })
  server.registerTool('near', { inputSchema }, ({ region: near }) => ({
    content: [{ type: 'text', text: `near ${near}` }],
  }))
  server.registerTool('progresses', { inputSchema: z.object({ n: z.number() }) }, async ({ n }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    const steps = progressToken === undefined ? 0 : n
    for (let step = 1; step <= steps; step += 1) {
      const params = { progressToken: progressToken ?? '', progress: step, total: n, message: `step ${step}` }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    return { content: [{ type: 'text', text: typeof progressToken }] }
  })
  server.registerTool('grow', {}, () => {
    is_grown = true
    setTimeout(() => grow(), 10)
    return { content: [{ type: 'text', text: 'grown' }] }
  })
  if (is_grown) server.registerTool('grown', {}, () => ({ content: [{ type: 'text', text: 'here I am' }] }))
  return server
}

function withoutSessions() {
  const handler = createMcpHandler(() => build(), {
    legacy: how === 'modern' ? 'reject' : 'stateless',
    responseMode: mode as 'auto' | 'json' | 'sse',
  })
  grow = () => handler.notify.toolsChanged()
  return (request: Request) => handler.fetch(request)
}

function withSessions() {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request: Request) => {
    const known = open.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request)
    if (request.headers.has('mcp-session-id')) return new Response(null, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: mode === 'json',
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    const server = build()
    grow = () => server.registerTool('grown', {}, () => ({ content: [{ type: 'text', text: 'here I am' }] }))
    await server.connect(transport)
    return transport.handleRequest(request)
  }
}

const listener = getRequestListener(how === 'sessions' ? withSessions() : withoutSessions())
const server = createServer((request, response) => void listener(request, response))
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
