import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Provider, type Configuration } from 'oidc-provider'
import { z } from 'zod'

export type ReceivedRequest = { readonly method: string; readonly path: string; readonly form: string }

/** A tool server that accepts only tokens of its authorization server, and that authorization server. */
export type ProtectedServer = {
  readonly url: string
  readonly issuer: string
  readonly provider: Provider
  /** What the authorization server was asked, in order. */
  readonly asked: ReceivedRequest[]
  /** How many requests to `path` at the authorization server are in progress or done. */
  readonly count: (path: string) => number
  /** Answers requests to the authorization server instead, when it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** The same, before the tool server checks the token. */
  interceptTools: (request: IncomingMessage, response: ServerResponse) => boolean
  /** What a 401 says. */
  challenge: string
  /** Rejects every token until it is reset. */
  closed: boolean
  stop(): Promise<void>
}

export type ProtectedOptions = {
  /** Seconds. */
  readonly access_ttl?: number
}

const SCOPES = ['tools:read', 'tools:write']

export async function startProtected(options: ProtectedOptions = {}): Promise<ProtectedServer> {
  const tools = createServer()
  const login = createServer()
  const [toolsAt, loginAt] = await Promise.all([listen(tools), listen(login)])
  const url = `${toolsAt}/mcp`
  const provider = openProvider(loginAt, url, options.access_ttl ?? 3600)
  const asked: ReceivedRequest[] = []
  const served: ProtectedServer = {
    url,
    issuer: loginAt,
    provider,
    asked,
    count: (path) => asked.filter((each) => each.path === path).length,
    intercept: () => false,
    interceptTools: () => false,
    challenge: `Bearer resource_metadata="${toolsAt}/.well-known/oauth-protected-resource/mcp"`,
    closed: false,
    async stop() {
      await Promise.all([close(tools), close(login)])
    },
  }
  const provide = provider.callback()
  login.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const received = { method: request.method ?? '', path: new URL(request.url ?? '/', loginAt).pathname, form: '' }
    asked.push(received)
    request.on('data', (part: Buffer) => (received.form += part.toString()))
    if (!served.intercept(request, response)) void provide(request, response)
  })
  const mcp = getRequestListener(serveTools(provider))
  tools.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (served.interceptTools(request, response)) return
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
      return sendJson(response, { resource: url, authorization_servers: [loginAt], scopes_supported: SCOPES })
    void guard(request, response)
  })
  async function guard(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const found = token === undefined || served.closed ? undefined : await provider.AccessToken.find(token)
    if (found === undefined || !found.isValid || ![found.aud].flat().includes(url)) {
      request.resume()
      return void response.writeHead(401, { 'www-authenticate': served.challenge }).end()
    }
    const body = await bodyOf(request)
    const wants = /"name":"write_note"/.test(body) ? 'tools:write' : 'tools:read'
    if (!found.scopes.has(wants)) {
      const says = `Bearer error="insufficient_scope", scope="${wants}"`
      return void response.writeHead(403, { 'www-authenticate': says }).end()
    }
    return void mcp(Object.assign(request, { rawBody: Buffer.from(body) }), response)
  }
  return served
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

function serveTools(provider: Provider) {
  const handler = createMcpHandler(
    (request) => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' })
      const who = async () => {
        const token = /^Bearer (.+)$/.exec(request.requestInfo?.headers.get('authorization') ?? '')?.[1] ?? ''
        return (await provider.AccessToken.find(token))?.accountId ?? 'nobody'
      }
      const annotations = { readOnlyHint: true }
      server.registerTool('read_name', { description: 'Reads the name of the account', annotations }, async () => ({
        content: [{ type: 'text', text: await who() }],
      }))
      server.registerTool(
        'write_note',
        { description: 'Reads a note back', annotations, inputSchema: z.object({ text: z.string() }) },
        async ({ text }) => ({ content: [{ type: 'text', text: `${await who()} wrote ${text}` }] }),
      )
      return server
    },
    { legacy: 'stateless' },
  )
  return (request: Request) => handler.fetch(request)
}

function openProvider(issuer: string, resource: string, access_ttl: number): Provider {
  const configuration: Configuration = {
    clients: [],
    scopes: ['openid', 'offline_access', ...SCOPES],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, RefreshToken: 3600, AuthorizationCode: 60, IdToken: 600 },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, indicator) => ({
          scope: indicator === resource ? SCOPES.join(' ') : '',
          audience: indicator,
          accessTokenTTL: access_ttl,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  }
  return new Provider(issuer, configuration)
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
