import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }
export type Receiver = {
  readonly url: string
  readonly received: readonly Received[]
  /** The message with this index, once it has arrived. */
  nth(index: number): Promise<Received>
  close(): Promise<void>
}

/** A real HTTP server that stores its requests and answers as configured. */
export async function receiver(
  answer: (response: ServerResponse, index: number) => void = (response) => void response.writeHead(204).end(),
): Promise<Receiver> {
  const received: Received[] = []
  let wake: (() => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => (body += part))
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body })
      answer(response, received.length - 1)
      for (const resolve of wake.splice(0)) resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    async nth(index) {
      for (;;) {
        const found = received[index]
        if (found !== undefined) return found
        await new Promise<void>((resolve) => void (wake = [...wake, resolve]))
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
