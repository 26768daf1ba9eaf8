import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** A server of the official SDK that supports both eras; `--modern-only` rejects the older one. */
serveStdio(
  () => {
    const server = new McpServer(
      { name: 'two-eras', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true } } },
    )
    server.registerTool('meta', { inputSchema: z.object({ text: z.string() }) }, ({ text }, context) => {
      const { _meta: meta } = context.mcpReq
      return { content: [{ type: 'text', text: JSON.stringify({ text, meta }) }] }
    })
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
      server.registerTool('grown', {}, () => ({ content: [{ type: 'text', text: 'here I am' }] }))
      return { content: [{ type: 'text', text: 'grown' }] }
    })
    return server
  },
  process.argv.includes('--modern-only') ? { legacy: 'reject' } : {},
)
