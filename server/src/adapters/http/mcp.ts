import type { App } from './door.ts'
import { CALLERS } from './access.ts'
import { declareRoute, route } from './route.ts'

/**
 * Writes `/mcp` into the API's document and the access matrix. It is served by `adapters/mcp/serve-http.ts`, before the API's
 * router, so that tool calls skip work that only the API needs.
 */
export function describeMcp(app: App): void {
  const routes = [
    route({
      method: 'post',
      path: '/mcp',
      query: ['surface'],
      access: CALLERS,
      summary: 'MCP (streamable HTTP): one message; the answer is JSON or a stream of events (`surface`)',
    }),
    route({
      method: 'get',
      path: '/mcp',
      access: CALLERS,
      summary: 'MCP before 2026-07-28: a stream of notifications',
    }),
    route({ method: 'delete', path: '/mcp', access: CALLERS, summary: 'MCP before 2026-07-28: end a session' }),
    route({
      method: 'get',
      path: '/.well-known/oauth-protected-resource/mcp',
      access: 'anyone',
      summary: 'Who issues tokens for `/mcp` (RFC 9728)',
    }),
  ]
  // For clients that look only here.
  declareRoute('get', '/.well-known/oauth-protected-resource', 'anyone')
  for (const { middleware: _, ...described } of routes) app.openAPIRegistry.registerPath(described)
}
