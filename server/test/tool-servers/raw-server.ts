import { createInterface } from 'node:readline'

type Message = { id?: string | number; method?: string; params?: Record<string, unknown> }
export type RawCall = {
  readonly id: string | number
  readonly name: string
  readonly args: Record<string, unknown>
  readonly meta: Record<string, unknown>
}
export type RawTool = { readonly name: string; readonly description?: string; readonly outputSchema?: object }

/** Writes exactly this, without a line break of its own. */
export const write = (text: string): boolean => process.stdout.write(text)
export const send = (message: object): boolean => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
export const answer = (id: string | number, text: string): boolean =>
  send({ id, result: { content: [{ type: 'text', text }] } })

/**
 * A tool server of the 2025 era written by hand, so that it can misbehave in ways no SDK allows. It remembers what it was
 * sent: the tool `heard` answers with every line that it received.
 */
export function serveRaw(options: {
  readonly tools: () => readonly RawTool[]
  readonly onCall: (call: RawCall) => void
  /** Sees every message first; true means that it was handled. */
  readonly before?: (message: Message) => boolean
}): void {
  const received: string[] = []
  createInterface({ input: process.stdin }).on('line', (line) => {
    received.push(line)
    const message = JSON.parse(line) as Message
    if (options.before?.(message) === true || message.id === undefined) return
    const { id, method, params } = message
    if (method === 'initialize') {
      const capabilities = { tools: { listChanged: true } }
      const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'raw', version: '1' } }
      send({ id, result })
    } else if (method === 'tools/list') {
      const tools = [...options.tools(), { name: 'heard' }].map((tool) => ({
        inputSchema: { type: 'object' },
        ...tool,
      }))
      send({ id, result: { tools } })
    } else if (method === 'tools/call' && params?.['name'] === 'heard') answer(id, JSON.stringify(received))
    else if (method === 'tools/call')
      options.onCall({
        id,
        name: String(params?.['name']),
        args: (params?.['arguments'] ?? {}) as RawCall['args'],
        meta: (params?.['_meta'] ?? {}) as RawCall['meta'],
      })
    else send({ id, error: { code: -32601, message: `no method ${method}` } })
  })
}
