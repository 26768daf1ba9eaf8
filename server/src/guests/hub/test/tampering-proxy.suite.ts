import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The traffic between a node and its hub, and how a test changes it. */
export type Passing = {
  readonly path: string
  readonly body: string
  /** Asks the hub. */
  forward(body?: string): Promise<{ status: number; body: string }>
}
export type Tamper = (passing: Passing) => Promise<{ status: number; body: string } | 'cut'>

export type Between = {
  readonly url: string
  /** Every reply of the hub. */
  readonly words: readonly string[]
  /** From now on; undefined passes everything on. */
  meddle(how: Tamper | undefined): void
  /** The hub has another address after a restart. */
  lead(url: string): void
  close(): Promise<void>
}

/** A proxy between a node and its hub that a test can make hostile. */
export async function startProxy(first: string): Promise<Between> {
  let hub = first
  let how: Tamper | undefined
  const words: string[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const path = request.url ?? ''
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const passing: Passing = {
      path,
      body,
      async forward(other = body) {
        const { authorization = '' } = request.headers
        const answer = await fetch(`${hub}${path}`, {
          method: request.method ?? 'GET',
          headers: { 'content-type': 'application/json', authorization },
          ...(request.method === 'POST' ? { body: other } : {}),
          signal: gone.signal,
        })
        const text = await answer.text()
        if (answer.ok && path !== '/v1/hub/key') words.push(...(JSON.parse(text) as { words: string[] }).words)
        return { status: answer.status, body: text }
      },
    }
    const answer = how === undefined ? await passing.forward() : await how(passing)
    if (answer === 'cut') return void response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    words,
    meddle: (next) => (how = next),
    lead: (url) => (hub = url),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** The answer of a hub with these replies. */
export const saying = (...words: readonly string[]) => ({ status: 200, body: JSON.stringify({ words }) })
