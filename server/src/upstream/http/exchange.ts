import { request as plainRequest, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { Bug } from '../../contract/problems.ts'

export type Ask = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Reply = {
  readonly is: 'reply'
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
  /** It came before the whole request was handed to the network. */
  readonly early: boolean
}

/** `unsent` is a promise: not one byte of the request left. `unreachable`: nobody could be connected to. */
export type NoReply = {
  readonly is: 'fault'
  readonly says: string
  readonly unsent: boolean
  readonly unreachable: boolean
}

export type Exchange = {
  /** Never rejects. */
  readonly reply: Promise<Reply | NoReply>
  /** Whether bytes of the request may be on their way. */
  mayHaveLeft(): boolean
  /** Ends it now: the connection, and the body if it is still read. */
  abort(): void
}

/** One HTTP request and the head of its answer. Follows nothing, repeats nothing. */
export function exchange(url: URL, ask: Ask, agent: Agent): Exchange {
  const is_secure = url.protocol === 'https:'
  const { body } = ask
  const headers =
    body === undefined ? ask.headers : { ...ask.headers, 'content-length': String(Buffer.byteLength(body)) }
  const request = (is_secure ? secureRequest : plainRequest)(url, { method: ask.method, headers, agent })
  let connected = false
  let aborted = false
  request.once('socket', (socket) => {
    // What is written to a socket before it is connected (and, with TLS, has shaken hands) stays in memory.
    if (socket.connecting) socket.once(is_secure ? 'secureConnect' : 'connect', () => (connected = true))
    else connected = true
  })
  const reply = new Promise<Reply | NoReply>((resolve) => {
    request.once('response', (message) => {
      // A body that breaks off is seen by whoever reads it.
      message.on('error', () => undefined)
      const status = message.statusCode
      if (status === undefined) throw new Bug('a response has a status')
      resolve({ is: 'reply', status, headers: message.headers, body: message, early: !request.writableFinished })
    })
    const fail = (says: string) =>
      resolve({ is: 'fault', says, unsent: !connected, unreachable: !connected && !aborted })
    request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    request.once('close', () => fail('the connection was closed'))
  })
  // As text it leaves in one piece with the headers.
  request.end(body)
  return {
    reply,
    mayHaveLeft: () => connected,
    abort() {
      aborted = true
      request.destroy()
    },
  }
}

/** The whole body, or why there is none. */
export function readBody(body: IncomingMessage, limit: number): Promise<Buffer | 'too_large' | 'broke_off'> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let bytes = 0
    body.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > limit) {
        resolve('too_large')
        body.destroy()
      } else parts.push(part)
    })
    body.once('end', () => resolve(Buffer.concat(parts)))
    body.once('close', () => resolve('broke_off'))
  })
}

/** `type/subtype` of a reply, in lower case. */
export function mediaType({ headers }: Reply): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
