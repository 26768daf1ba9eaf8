import { CALLERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'

/**
 * `/mcp` in the API's document and the access matrix. It is served by `adapters/mcp/serve-http.ts`, before the API's router, so that
 * tool calls skip work that only the API needs.
 */
export const MCP_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    at: 'POST /mcp',
    access: CALLERS,
    says: 'MCP (streamable HTTP): one message; the answer is JSON or a stream of events (`surface`)',
    query: ['surface'],
  }),
  endpoint({ at: 'GET /mcp', access: CALLERS, says: 'MCP before 2026-07-28: a stream of notifications' }),
  endpoint({ at: 'DELETE /mcp', access: CALLERS, says: 'MCP before 2026-07-28: end a session' }),
  endpoint({
    at: 'GET /.well-known/oauth-protected-resource/mcp',
    access: 'anyone',
    says: 'Who issues tokens for `/mcp` (RFC 9728)',
  }),
  endpoint({
    at: 'GET /.well-known/oauth-protected-resource',
    access: 'anyone',
    says: 'The same, for clients that look only here',
    undocumented: true,
  }),
]
