import { createInterface } from 'node:readline'

/** A tool server with a given number of tools, each with its own schema, listed page by page; every tool returns its input. */
const count = Number(process.argv[2])
const PAGE = 1_000
const VERBS = ['get', 'list', 'find', 'create', 'update', 'delete', 'send', 'archive']
const NOUNS = ['invoice', 'ticket', 'message', 'customer', 'page', 'calendar', 'file', 'branch', 'order', 'report']

const tools = Array.from({ length: count }, (_, index) => ({
  name: index === 0 ? 'echo' : `${VERBS[index % 8]}_${NOUNS[Math.floor(index / 8) % 10]}_${index}`,
  description: `Tool ${index}: ${VERBS[index % 8]} one ${NOUNS[Math.floor(index / 8) % 10]} of the workspace ${index % 97}`,
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 1000 }, [`field_${index % 50}`]: { type: 'integer' } },
    required: ['text'],
  },
}))

const send = (id: unknown, result: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { cursor?: string } }
  if (id === undefined) return
  if (method === 'initialize')
    send(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'many', version: '1' } })
  else if (method === 'tools/list') {
    const from = Number(params?.cursor ?? 0)
    const more = from + PAGE < count ? { nextCursor: String(from + PAGE) } : {}
    send(id, { tools: tools.slice(from, from + PAGE), ...more })
  } else send(id, { content: [{ type: 'text', text: 'heard' }] })
})
