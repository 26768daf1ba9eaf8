import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** A server of the official SDK, of the older era, that has a resource and a prompt, and another prompt on request. */
const server = new McpServer({ name: 'offering', version: '1.0.0' })
server.registerResource('today', 'notes://today', { mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri: uri.href, text: 'sunny' }],
}))
server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `say hello to ${name}` } }],
}))
server.registerTool('more', {}, () => {
  server.registerPrompt('part', {}, () => ({ messages: [] }))
  return { content: [{ type: 'text', text: 'there is more' }] }
})
await server.connect(new StdioServerTransport())
