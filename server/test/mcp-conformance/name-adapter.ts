import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

type Json = Record<string, unknown>
export type Adapter = { readonly url: string; close(): Promise<void> }

/**
 * The suites use fixed tool and prompt names, send no key and cannot choose a surface. This proxy between a suite and the gate adds
 * exactly that: the key, the surface, and the prefix `server__`. Everything else is passed on unchanged.
 */
export async function adaptNames(gate: string, key: string, server: string): Promise<Adapter> {
  const prefix = `${server}__`
  const target = new URL('/mcp?surface=passthrough', gate)
  const listener = createServer((request, response) => void pass(request, response))

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = withPrefix(await textOf(request), prefix)
    const { 'content-length': _length, ...headers } = request.headers
    const name = headers['mcp-name']
    const named = typeof name === 'string' && isNamed(headers['mcp-method']) ? { 'mcp-name': `${prefix}${name}` } : {}
    const asking = ask(target, {
      method: request.method,
      headers: {
        ...headers,
        ...named,
        authorization: `Bearer ${key}`,
        ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    })
    asking.on('error', () => response.destroy())
    asking.on('response', (reply) => void answer(reply, response))
    response.on('close', () => asking.destroy())
    asking.end(body)
  }

  async function answer(reply: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'content-length': _length, ...headers } = reply.headers
    response.writeHead(reply.statusCode ?? 500, headers).flushHeaders()
    try {
      if (headers['content-type']?.startsWith('text/event-stream') === true) {
        for await (const line of createInterface({ input: reply }))
          response.write(`${line.startsWith('data: ') ? `data: ${withoutPrefix(line.slice(6), prefix)}` : line}\n`)
        response.end()
      } else response.end(withoutPrefix(await textOf(reply), prefix))
    } catch {
      // The gate or the suite closed the connection, so there is nobody to answer.
      response.destroy()
    }
  }

  await new Promise<void>((done) => void listener.listen(0, '127.0.0.1', done))
  const { port } = listener.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      listener.closeAllConnections()
      await new Promise((done) => listener.close(done))
    },
  }
}

const isNamed = (method: unknown) => method === 'tools/call' || method === 'prompts/get'

async function textOf(stream: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

function changed(text: string, change: (message: Json) => void): string {
  try {
    const message = JSON.parse(text) as Json | null
    if (typeof message !== 'object' || message === null) return text
    change(message)
    return JSON.stringify(message)
  } catch {
    // Text that is not JSON is left for the gate to reject.
    return text
  }
}

function withPrefix(text: string, prefix: string): string {
  return changed(text, ({ method, params }) => {
    const named = (params ?? {}) as Json
    const ref = named['ref'] as Json | undefined
    if (isNamed(method) && typeof named['name'] === 'string') named['name'] = `${prefix}${named['name']}`
    if (method === 'completion/complete' && typeof ref?.['name'] === 'string') ref['name'] = `${prefix}${ref['name']}`
  })
}

function withoutPrefix(text: string, prefix: string): string {
  return changed(text, ({ result }) => {
    const { tools, prompts } = (result ?? {}) as { tools?: { name: string }[]; prompts?: { name: string }[] }
    for (const entry of [...(tools ?? []), ...(prompts ?? [])])
      if (entry.name.startsWith(prefix)) entry.name = entry.name.slice(prefix.length)
  })
}
