import type { ServerResponse } from 'node:http'

/** Often enough that proxies do not close the connection as idle. */
const KEEP_ALIVE_MS = 15_000

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Prevents some proxies from buffering the answer.
  'x-accel-buffering': 'no',
}

export type McpEventStream = {
  /** `id`: set if the stream can be resumed after this event. */
  send(text: string, id?: string): void
  /** Sends an event without a message: its id, for resuming, and how long to wait before that. */
  prime(id: string, retry_ms: number): void
  end(text?: string): void
}

/** Answers with a stream of events, each with one JSON-RPC message. It ends when the caller's access ends. */
export function openEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  isStillAllowed?: () => Promise<boolean>,
): McpEventStream {
  response.writeHead(200, { ...headers, ...HEADERS })
  response.flushHeaders()
  const keepAlive = setInterval(() => {
    response.write(': keep-alive\n\n')
    isStillAllowed?.().then(
      (is_allowed) => is_allowed || response.end(),
      () => response.end(),
    )
  }, KEEP_ALIVE_MS)
  keepAlive.unref()
  response.once('close', () => clearInterval(keepAlive))
  const send = (text: string, id?: string) => {
    const named = id === undefined ? '' : `id: ${id}\n`
    response.write(`event: message\n${named}data: ${text}\n\n`)
  }
  return {
    send,
    prime: (id, retry_ms) => void response.write(`id: ${id}\nretry: ${retry_ms}\ndata: \n\n`),
    end(text) {
      if (text !== undefined) send(text)
      response.end()
    },
  }
}
