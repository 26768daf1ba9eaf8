import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { LEASE_EXPIRED } from '../pending-calls.ts'
import { openBody, type Body, type BodyReader } from './body.ts'

export type Ask = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Called when the request is passed to a connection, the last moment before bytes can be sent. */
  readonly mayAct?: () => boolean
}

export type Reply = {
  readonly is: 'reply'
  readonly status: number
  readonly status_text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Body
  /** It came before the whole request was passed to the network. */
  readonly early: boolean
}

/**
 * `unsent`: guaranteed that not one byte of the request was sent. `unreachable`: no connection could be made. `login`: somebody
 * has to log in first, or with more permissions.
 */
export type NoReply = {
  readonly is: 'fault'
  readonly says: string
  readonly unsent: boolean
  readonly unreachable: boolean
  readonly login?: 'needed' | 'wider'
}

export type Exchange = {
  /** Never rejects. */
  readonly reply: Promise<Reply | NoReply>
  /** Whether bytes of the request may have been sent. */
  mayHaveLeft(): boolean
  /** Ends it now: the connection, and the body if it is still being read. */
  abort(): void
}

/** Called once, after the last byte: `broke_off` if the connection ended in the middle. */
export type OnEnd = (broke_off: boolean) => void

/**
 * One HTTP request and the head of its answer. Follows nothing, repeats nothing.
 * INVARIANT: a request is passed to a connection once. Until then, with TLS until the handshake is complete, nothing of it has
 * been sent.
 */
export function exchange(url: URL, ask: Ask, connections: Dispatcher, onOver?: OnEnd): Exchange {
  const { promise: reply, resolve } = Promise.withResolvers<Reply | NoReply>()
  const sending = sendingOf(ask)
  let connection: Dispatcher.DispatchController | undefined
  let answer: BodyReader | undefined
  let is_over = false
  let aborted = false

  const over = (broke_off: boolean) => {
    if (is_over) return
    is_over = true
    onOver?.(broke_off)
  }
  const fail = (error: Error) => {
    const unsent = connection === undefined
    const unreachable = unsent && !aborted && codeOf(error) !== 'UND_ERR_INVALID_ARG'
    resolve({ is: 'fault', says: saidBy(error), unsent, unreachable })
    over(!unsent)
  }

  connections.dispatch(
    { path: `${url.pathname}${url.search}`, method: ask.method, headers: sending.headers, body: sending.body },
    {
      onRequestStart(offered) {
        if (aborted || connection !== undefined) return offered.abort(new Error('given up'))
        if (ask.mayAct?.() === false) return offered.abort(new Error(LEASE_EXPIRED))
        connection = offered
      },
      onResponseStart(from, status, headers, status_text = '') {
        // Only an interim response.
        if (status < 200) return
        const { body, fill } = openBody(from)
        answer = fill
        resolve({ is: 'reply', status, status_text, headers, body, early: !sending.isHandedOver() })
      },
      onResponseData: (_, piece) => answer?.data(piece),
      onResponseEnd() {
        answer?.end(true)
        over(false)
      },
      onResponseError(_, error) {
        if (answer === undefined) return fail(error)
        answer.end(false)
        over(true)
      },
    },
  )
  return {
    reply,
    mayHaveLeft: () => connection !== undefined,
    abort() {
      aborted = true
      if (connection === undefined) fail(new Error('given up'))
      else connection.abort(new Error('given up'))
    },
  }
}

type Sending = {
  readonly headers: Ask['headers']
  readonly body: string | Readable | null
  readonly isHandedOver: () => boolean
}

/** A shorter body is passed in one piece with its headers. */
const PIECE = 65_536

function sendingOf({ headers, body = '' }: Ask): Sending {
  if (body.length <= PIECE) return { headers, body: body === '' ? null : body, isHandedOver: () => true }
  const bytes = Buffer.from(body)
  let at = 0
  function* pieces() {
    for (; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
  }
  return {
    headers: { ...headers, 'content-length': String(bytes.length) },
    // Pulled piece by piece, as the network accepts them.
    body: Readable.from(pieces()),
    isHandedOver: () => at >= bytes.length,
  }
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : undefined)

/** For system errors the code says more than the message; for the library's own it is the other way round. */
function saidBy(error: Error): string {
  const code = codeOf(error)
  return code === undefined || code.startsWith('UND_') ? error.message : code
}

/** The value of a header; the first one if it is repeated. */
export function headerOf({ headers }: Pick<Reply, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** `type/subtype` of a reply, in lower case. */
export function mediaType(reply: Reply): string {
  return (headerOf(reply, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
