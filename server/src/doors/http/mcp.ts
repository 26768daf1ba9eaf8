import { readJson } from '../../commands/read-json.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import { CALLERS, route, type App } from './route.ts'

export type McpContext = {
  readonly caller: Caller
  readonly trace: string
  readonly session: string | undefined
  readonly signal: AbortSignal
}
/** Answers one MCP message; undefined for a notification. */
export type McpHandler = (message: Json, context: McpContext) => Promise<JsonObject | undefined>

/** MCP over HTTP: one message in, one JSON answer out. */
export function mcpRoute(app: App, handle: McpHandler): void {
  app.openapi(
    route({ method: 'post', path: '/mcp', access: CALLERS, summary: 'MCP (streamable HTTP, JSON answers)' }),
    async (c) => {
      const read = readJson(await c.req.text())
      if (!read.ok) {
        const error = {
          code: -32700,
          message: 'not I-JSON',
          data: { code: read.problem.code, about: read.problem.about },
        }
        return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
      }
      const session = c.req.header('mcp-session-id')
      const answer = await handle(read.value, {
        caller: c.get('caller'),
        trace: c.get('trace'),
        session,
        signal: c.req.raw.signal,
      })
      return answer === undefined ? new Response(null, { status: 202 }) : Response.json(answer)
    },
  )
}
