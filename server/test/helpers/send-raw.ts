import { request, type Agent, type IncomingHttpHeaders } from 'node:http'
import type { RunningGate } from './with-running-gate.ts'
import { answerIn } from './answer-in.ts'

export type Answered = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Parsed: the JSON value, or the answer in a stream. */
  readonly body: { readonly error?: { code: number; data: { code: string } }; readonly [key: string]: unknown }
}

export type RawRequest = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** For requests that share a connection. */
  readonly agent?: Agent
}

/** One raw HTTP request, with the default headers of a correct client; an empty header is left out. */
export function sendRaw(
  gate: RunningGate,
  key: string | undefined,
  { method = 'POST', path = '/mcp', headers = {}, body, agent }: RawRequest,
): Promise<Answered> {
  const { hostname, port } = new URL(gate.url)
  const good = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  const all = Object.entries({ ...good, ...headers }).filter(([, value]) => value !== '')
  const sent = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path, headers: Object.fromEntries(all), ...(agent && { agent }) }
    const asked = request(options, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text, body: bodyOf(text) }),
      )
    })
    asked.on('error', reject)
    asked.end(sent)
  })
}

function bodyOf(text: string): Answered['body'] {
  try {
    return answerIn(text)
  } catch {
    return {}
  }
}

/** Opens a stream of events and collects its messages until it is closed. */
export function listenTo(
  gate: RunningGate,
  key: string,
  { method = 'GET', path = '/mcp', headers = {}, body }: RawRequest,
) {
  const { hostname, port } = new URL(gate.url)
  const all = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
    ...headers,
  }
  const messages: Record<string, unknown>[] = []
  const ids: string[] = []
  const asked = request({ hostname, port, method, path, headers: all })
  const opened = new Promise<number>((resolve) => {
    asked.on('response', (reply) => {
      resolve(reply.statusCode ?? 0)
      let rest = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (line.startsWith('id: ')) ids.push(line.slice(4))
          if (line.startsWith('data: {')) messages.push(JSON.parse(line.slice(6)) as Record<string, unknown>)
        }
      })
      reply.on('end', () => (over = true))
    })
  })
  let over = false
  asked.on('error', () => (over = true))
  asked.end(body === undefined ? undefined : JSON.stringify(body))
  return { messages, ids, opened, isOver: () => over, close: () => asked.destroy() }
}

export const rpc = (method: string, params: object = {}, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

/** A request since 2026-07-28, with the headers that repeat it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  capabilities: object = {},
): Required<Pick<RawRequest, 'headers' | 'body'>> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: rpc(method, { ...params, _meta }),
  }
}
