import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * The tool server of the recorded data folders. Its definitions never change, because held calls are approved years later and are
 * executed only if the definition is unchanged.
 */
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const none = { type: 'object', properties: {} }
const TOOLS = [
  { name: 'look', description: 'Looks at the book', inputSchema: none, annotations: { readOnlyHint: true } },
  { name: 'long', description: 'Reads all of the book', inputSchema: none, annotations: { readOnlyHint: true } },
  { name: 'note', description: 'Writes into the book', inputSchema: text, annotations: { destructiveHint: false } },
]
const LONG = 'all work and no play\n'.repeat(5_000)

type Message = { id?: number; method?: string; params?: { name?: string; arguments?: { text?: string } } }

function answerTo({ method, params }: Message): object {
  const said = (words: string) => ({ result: { content: [{ type: 'text', text: words }] } })
  if (method === 'initialize')
    return {
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'ledger', version: '1' },
      },
    }
  if (method === 'tools/list') return { result: { tools: TOOLS } }
  if (method !== 'tools/call') return { error: { code: -32601, message: 'no such method' } }
  if (params?.name === 'look') return said('a book')
  if (params?.name === 'long') return said(LONG)
  appendFileSync(process.env['EFFECTS'] ?? '/dev/null', `${params?.arguments?.text}\n`)
  return said('noted')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message
  if (message.id === undefined) return
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answerTo(message) })}\n`)
})
