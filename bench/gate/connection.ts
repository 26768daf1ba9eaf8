import { connect, type Socket } from 'node:net'

export type Reply = { readonly status: number; readonly headers: string; readonly body: string }

/** One keep-alive connection, one request at a time, without an HTTP library, so that the load generator is not what is measured. */
export type Connection = { ask(text: string): Promise<Reply>; isClosed(): boolean; close(): void }

const END_OF_HEAD = '\r\n\r\n'

export async function openConnection(url: URL): Promise<Connection> {
  const socket = await connected(url)
  let read: Buffer = Buffer.alloc(0)
  let asked: { resolve(reply: Reply): void; reject(error: Error): void } | undefined

  socket.on('data', (piece: Buffer) => {
    read = read.length === 0 ? piece : Buffer.concat([read, piece])
    const reply = replyIn(read)
    if (reply === undefined) return
    read = Buffer.alloc(0)
    asked?.resolve(reply)
  })
  const fail = (error?: Error) => asked?.reject(error ?? new Error('the connection was closed'))
  socket.on('error', fail)
  socket.on('close', () => fail())

  return {
    ask: (text) =>
      new Promise((resolve, reject) => {
        asked = { resolve, reject }
        socket.write(text)
      }),
    isClosed: () => socket.destroyed || socket.readableEnded,
    close: () => void socket.destroy(),
  }
}

function connected({ hostname, port }: URL): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** The reply, once it is complete. */
function replyIn(read: Buffer): Reply | undefined {
  const end = read.indexOf(END_OF_HEAD)
  if (end === -1) return undefined
  const headers = read.toString('latin1', 0, end)
  const status = Number(headers.slice(9, 12))
  const from = end + END_OF_HEAD.length
  if (/\r\ntransfer-encoding: *chunked/i.test(headers)) {
    const body = dechunked(read.subarray(from))
    return body === undefined ? undefined : { status, headers, body }
  }
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(headers)?.[1] ?? 0)
  return read.length < from + length ? undefined : { status, headers, body: read.toString('utf8', from, from + length) }
}

function dechunked(bytes: Buffer): string | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return Buffer.concat(parts).toString()
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}

/** A POST of JSON as bytes on the wire. */
export function postText(url: URL, headers: string, body: string): string {
  const length = Buffer.byteLength(body)
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n${headers}content-length: ${length}\r\n\r\n${body}`
}

/** The JSON in a reply: as it is, or the data of its last event. */
export function jsonIn({ headers, body }: Reply): string {
  if (!/\r\ncontent-type: *text\/event-stream/i.test(headers)) return body
  const data = body.split('\n').filter((line) => line.startsWith('data:'))
  return (data.at(-1) ?? '').slice('data:'.length)
}
