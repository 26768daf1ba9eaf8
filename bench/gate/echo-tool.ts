/** The tool that every system of this bench calls: it returns its input. */
const TOOL = {
  name: 'echo',
  description: 'Repeats the text and the number',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', maxLength: 1000 }, number: { type: 'integer', minimum: 0 } },
    required: ['text', 'number'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, idempotentHint: true },
}

export type Message = {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly name?: string; readonly arguments?: { text: string; number: number } }
}

/** The answer as text, or undefined for notifications. Only `tools/call` is hot. */
export function answerTo({ id, method, params }: Message): string | undefined {
  if (id === undefined) return undefined
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  if (method === 'tools/call' && params?.name === TOOL.name && params.arguments !== undefined) {
    const { text, number } = params.arguments
    return `${head}"result":{"content":[{"type":"text","text":${JSON.stringify(echoOf(text, number))}}]}}`
  }
  const result = resultFor(method)
  if (result !== undefined) return `${head}"result":${JSON.stringify(result)}}`
  return `${head}"error":{"code":-32601,"message":"not offered here"}}`
}

function resultFor(method: string | undefined): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'bench-echo', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools: [TOOL] }
  return method === 'ping' ? {} : undefined
}

export const echoOf = (text: string, number: number): string => `${number}: ${text}`
