import { McpServer, type CallToolResult } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { outboxIn } from './outbox-file.ts'

/**
 * A small tool server to try the gate with: messages are written to a file instead of being sent. The file is in the folder that
 * a gate passes to its tool servers, or in the one given as the only argument.
 */
const folder = process.argv[2] ?? process.env['SLUICE_DATA']
if (folder === undefined) {
  process.stderr.write('outbox: pass the folder for outbox.jsonl as an argument or in SLUICE_DATA\n')
  process.exit(2)
}
const outbox = outboxIn(folder)

const Id = z
  .string()
  .regex(/^msg_[0-9a-f]{12}$/)
  .describe('The id of a message, as list_messages shows it')
const Summary = z.object({ id: Id, to: z.string(), subject: z.string(), sent_at: z.string() })
const Message = Summary.extend({ body: z.string() })
const Draft = z.object({
  to: z.string().min(3).max(254).describe('The address of the recipient'),
  subject: z.string().max(200),
  body: z.string().max(20_000),
})

const answer = (says: string, structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: says }],
  structuredContent,
})
const unknown = (id: string): CallToolResult => ({
  content: [{ type: 'text', text: `there is no message ${id}` }],
  isError: true,
})

function outboxServer(): McpServer {
  const server = new McpServer({ name: 'outbox', version: '1.0.0' })

  server.registerTool(
    'list_messages',
    {
      title: 'List messages',
      description: 'Lists the messages that were sent, without their text.',
      inputSchema: z.strictObject({}),
      outputSchema: z.object({ messages: z.array(Summary) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => {
      const messages = outbox.messages().map(({ id, to, subject, sent_at }) => ({ id, to, subject, sent_at }))
      return answer(`${messages.length} ${messages.length === 1 ? 'message' : 'messages'}`, { messages })
    },
  )

  server.registerTool(
    'read_message',
    {
      title: 'Read a message',
      description: 'Shows one sent message with its text.',
      inputSchema: z.strictObject({ id: Id }),
      outputSchema: z.object({ message: Message }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id }) => {
      const message = outbox.find(id)
      return message === undefined ? unknown(id) : answer(message.body, { message })
    },
  )

  server.registerTool(
    'send_message',
    {
      title: 'Send a message',
      description: 'Sends a message to a person. With dry_run it only shows what would be sent.',
      inputSchema: Draft.extend({
        dry_run: z.boolean().optional().describe('Only show what would be sent; nothing changes'),
      }).strict(),
      outputSchema: z.object({ status: z.enum(['sent', 'preview']), id: Id.optional(), ...Draft.shape }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    ({ dry_run, ...draft }, context) => {
      if (dry_run === true) return answer(`would send to ${draft.to}`, { status: 'preview', ...draft })
      const { _meta: meta } = context.mcpReq
      const key = meta?.['sluice/idempotency-key']
      const { id } = outbox.send(draft, typeof key === 'string' ? key : undefined)
      return answer(`sent to ${draft.to} as ${id}`, { status: 'sent', id, ...draft })
    },
  )

  server.registerTool(
    'delete_message',
    {
      title: 'Delete a message',
      description: 'Deletes a sent message permanently.',
      inputSchema: z.strictObject({ id: Id }),
      outputSchema: z.object({ deleted: Id }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ id }) => {
      if (outbox.find(id) === undefined) return unknown(id)
      outbox.remove(id)
      return answer(`deleted ${id}`, { deleted: id })
    },
  )
  return server
}

serveStdio(outboxServer, { onerror: (error) => void process.stderr.write(`outbox: ${error.message}\n`) })
