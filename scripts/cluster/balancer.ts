import { hash } from 'node:crypto'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Balancer = {
  readonly url: string
  /** Nodes may be added and removed while it runs. */
  setNodes(urls: readonly string[]): void
  close(): Promise<void>
}

const LOOK_MS = 250
const MOST_BYTES = 16 * 1024 * 1024

/**
 * A small balancer for loopback: round robin over nodes that say they are ready (`/readyz`). A request that a node did
 * not accept, because it cannot be reached or answers `gate.stopping`, goes to the next one. Requests of one MCP session go to one node while it is ready, because questions to
 * clients belong to a connection.
 */
export async function startBalancer(urls: readonly string[], port = 0): Promise<Balancer> {
  let nodes = [...urls]
  const away = new Set<string>()
  let turn = 0

  const look = async (): Promise<void> => {
    for (const node of nodes) {
      const isReady = await fetch(`${node}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
      if (isReady) away.delete(node)
      else away.add(node)
    }
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()

  /** All nodes, in the order in which to try them. */
  const choices = (session: string | undefined): string[] => {
    turn += 1
    const first = session === undefined ? turn : hash('sha256', session, 'buffer').readUInt16BE()
    const turned = nodes.map((_, index) => nodes[(first + index) % nodes.length] ?? '')
    return [...turned.filter((node) => !away.has(node)), ...turned.filter((node) => away.has(node))]
  }

  const server = createServer((asked, answer) => {
    void serve(asked, answer)
  })
  const serve = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await bodyOf(asked).catch(() => undefined)
    if (body === undefined) answer.writeHead(413).end()
    else {
      const session = asked.headers['mcp-session-id']
      for (const node of choices(typeof session === 'string' ? session : undefined)) {
        const isTaken = await forward(node, asked, body, answer)
        if (isTaken) return
        away.add(node)
      }
      if (!answer.headersSent) answer.writeHead(503, { 'retry-after': '1' }).end('no node is ready\n')
    }
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    setNodes(next) {
      nodes = [...next]
    },
    async close() {
      clearInterval(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(asked: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of asked as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MOST_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The header as the client sent it, with the client's address appended. */
const forwardedFor = ({ headers, socket }: IncomingMessage): string =>
  [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? 'unknown'].flat().join(', ')

/** False if the node did not accept the request: only then may it be sent to another node. */
function forward(node: string, asked: IncomingMessage, body: Buffer, answer: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(`${node}${asked.url ?? '/'}`, {
      method: asked.method,
      headers: { ...asked.headers, 'x-forwarded-for': forwardedFor(asked), 'content-length': String(body.length) },
      agent: false,
    })
    let isAnswered = false
    answer.on('close', () => sent.destroy())
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Nothing was sent on a refused connection.
      if (error.code === 'ECONNREFUSED') return resolve(false)
      if (!isAnswered && !answer.headersSent) answer.writeHead(502).end('the connection to the node broke\n')
      else answer.destroy()
      resolve(true)
    })
    sent.on('response', (reply) => {
      isAnswered = true
      if (reply.statusCode !== 503) {
        answer.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(answer)
        reply.on('error', () => answer.destroy())
        return resolve(true)
      }
      void refused(reply).then(resolve)
    })
    const refused = async (reply: IncomingMessage): Promise<boolean> => {
      const text = await bodyOf(reply).catch(() => undefined)
      if (text === undefined || text.includes('gate.stopping')) return false
      answer.writeHead(503, reply.headers).end(text)
      return true
    }
    sent.end(body)
  })
}
