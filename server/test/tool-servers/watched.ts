import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/**
 * A server of the official SDK whose resources change on request, of the era that is named: `old` or `new`. Of the
 * older one it records each subscription request.
 */
const file = process.env['EFFECTS'] ?? '/dev/null'
const leave = (line: string) => appendFileSync(file, `${line}\n`)
const [era = ''] = process.argv.slice(2)

function build(): McpServer {
  const server = new McpServer(
    { name: 'watched', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } } },
  )
  for (const name of ['page', 'private', 'other'])
    server.registerResource(name, `watched://${era}/${name}`, {}, ({ href }) => ({
      contents: [{ uri: href, text: name }],
    }))
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    leave(`subscribe ${params.uri}`)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    leave(`unsubscribe ${params.uri}`)
    return {}
  })
  server.registerTool('touch', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }) => {
    await server.server.sendResourceUpdated({ uri })
    return { content: [{ type: 'text', text: 'touched' }] }
  })
  server.registerTool('grow', {}, () => {
    server.registerResource('grown', `watched://${era}/grown`, {}, () => ({ contents: [] }))
    server.registerPrompt('grown', {}, () => ({ messages: [] }))
    server.registerTool('grown', {}, () => ({ content: [] }))
    return { content: [{ type: 'text', text: 'grown' }] }
  })
  server.registerTool('die', {}, () => process.exit(1))
  return server
}

if (era === 'old') await build().connect(new StdioServerTransport())
else serveStdio(build, { legacy: 'reject' })
