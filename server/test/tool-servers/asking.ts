import { appendFileSync } from 'node:fs'
import { acceptedContent, inputRequired, McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** A server of the official SDK that asks for a name before it does anything, and records what it did. `old`: of that era. */
const file = process.env['EFFECTS'] ?? '/dev/null'
const Name = z.object({ name: z.string() })
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
const nameIn = ({ mcpReq }: ServerContext) => acceptedContent(mcpReq.inputResponses, 'who', Name)?.name
const whoIsIt = () =>
  inputRequired({
    inputRequests: { who: inputRequired.elicit({ message: 'Who is it for?', requestedSchema: Name }) },
    requestState: 'a state of its own',
  })

function build(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1.0.0' })
  server.registerTool('order', { inputSchema: z.strictObject({ item: z.string() }) }, ({ item }, context) => {
    const name = nameIn(context)
    if (name === undefined) return whoIsIt()
    appendFileSync(file, `${item} for ${name}, ${context.mcpReq.requestState<string>() ?? 'no state'}\n`)
    return text(`ordered for ${name}`)
  })
  server.registerTool('page', {}, () =>
    inputRequired({
      inputRequests: { pay: inputRequired.elicitUrl({ message: 'Pay here', url: 'https://pay.example' }) },
    }),
  )
  server.registerPrompt('letter', {}, (context) => {
    const name = nameIn(context)
    if (name === undefined) return whoIsIt()
    return { messages: [{ role: 'user', content: { type: 'text', text: `Write to ${name}` } }] }
  })
  return server
}

if (process.argv.includes('old')) await build().connect(new StdioServerTransport())
else serveStdio(build)
