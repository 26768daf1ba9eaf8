import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as ClientSdk from '@modelcontextprotocol/client'
import type * as ClientStdio from '@modelcontextprotocol/client/stdio'
import type * as ServerSdk from '@modelcontextprotocol/server'
import { fromPeers } from './peers.ts'

// A gateway built as the official SDK's guides describe: one client upstream, one server and transport per session.
// `http <url>` or `stdio <command…>`.
type NodeTransport = ServerSdk.Transport & {
  readonly sessionId?: string
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>
}
type NodeSdk = {
  NodeStreamableHTTPServerTransport: new (options: {
    sessionIdGenerator: () => string
    onsessioninitialized: (id: string) => void
  }) => NodeTransport
}

const { Client, StreamableHTTPClientTransport } = fromPeers('@modelcontextprotocol/client') as typeof ClientSdk
const { StdioClientTransport } = fromPeers('@modelcontextprotocol/client/stdio') as typeof ClientStdio
const { Server } = fromPeers('@modelcontextprotocol/server') as typeof ServerSdk
const { NodeStreamableHTTPServerTransport } = fromPeers('@modelcontextprotocol/node') as NodeSdk

const [kind, ...where] = process.argv.slice(2)
const [command = '', ...args] = where
const client = new Client({ name: 'bench-gateway', version: '1.0.0' })
await client.connect(
  kind === 'stdio'
    ? new StdioClientTransport({ command, args })
    : new StreamableHTTPClientTransport(new URL(where[0] ?? '')),
)

const PREFIX = 'bench__'
const sessions = new Map<string, NodeTransport>()

async function openSession(): Promise<NodeTransport> {
  const server = new Server({ name: 'bench-gateway', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', async () => {
    const { tools } = await client.listTools()
    return { tools: tools.map((tool) => ({ ...tool, name: `${PREFIX}${tool.name}` })) }
  })
  server.setRequestHandler('tools/call', ({ params }) =>
    client.callTool({ ...params, name: params.name.slice(PREFIX.length) }),
  )
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await server.connect(transport)
  return transport
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id']
  const transport = (typeof id === 'string' ? sessions.get(id) : undefined) ?? (await openSession())
  await transport.handleRequest(request, response)
}

const door = createServer((request, response) => void handle(request, response))
door.listen(0, '127.0.0.1', () => process.stdout.write(`${(door.address() as AddressInfo).port}\n`))
