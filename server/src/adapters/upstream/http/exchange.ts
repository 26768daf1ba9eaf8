import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { LEASE_EXPIRED } from '../pending-calls.ts'
import { ReceivedBody, type Body } from './body.ts'

export type OutgoingRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  /** Called when the request is passed to a connection, the last moment before bytes can be sent. */
  readonly mayAct?: (() => boolean) | undefined
}

export type HttpReply = {
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

export type OutgoingExchange = {
  /** Never rejects. */
  readonly reply: Promise<HttpReply | NoReply>
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
export function exchange(url: URL, ask: OutgoingRequest, connections: Dispatcher, onOver?: OnEnd): OutgoingExchange {
  const begun = new Begun(ask, onOver)
  const { headers, body } = begun.sending
  connections.dispatch({ path: `${url.pathname}${url.search}`, method: ask.method, headers, body }, begun)
  return begun
}

/** An exchange, and what the pool reports about it. A class, because one is made for every call. */
class Begun implements OutgoingExchange, Dispatcher.DispatchHandler {
  readonly reply: Promise<HttpReply | NoReply>
  readonly sending: Sending
  readonly #resolve: (reply: HttpReply | NoReply) => void
  readonly #mayAct: OutgoingRequest['mayAct']
  readonly #onOver: OnEnd | undefined
  #connection: Dispatcher.DispatchController | undefined
  #body: ReceivedBody | undefined
  #isOver = false
  #isAborted = false

  constructor(ask: OutgoingRequest, onOver: OnEnd | undefined) {
    const { promise, resolve } = Promise.withResolvers<HttpReply | NoReply>()
    this.reply = promise
    this.#resolve = resolve
    this.#mayAct = ask.mayAct
    this.#onOver = onOver
    this.sending = sendingOf(ask)
  }

  mayHaveLeft(): boolean {
    return this.#connection !== undefined
  }

  abort(): void {
    this.#isAborted = true
    if (this.#connection === undefined) this.#fail(new Error('the request was aborted'))
    else this.#connection.abort(new Error('the request was aborted'))
  }

  onRequestStart(offered: Dispatcher.DispatchController): void {
    if (this.#isAborted || this.#connection !== undefined) return offered.abort(new Error('the request was aborted'))
    if (this.#mayAct?.() === false) return offered.abort(new Error(LEASE_EXPIRED))
    this.#connection = offered
  }

  onResponseStart(
    from: Dispatcher.DispatchController,
    status: number,
    headers: HttpReply['headers'],
    status_text = '',
  ): void {
    // Only an interim response.
    if (status < 200) return
    const body = new ReceivedBody(from)
    this.#body = body
    this.#resolve({ is: 'reply', status, status_text, headers, body, early: !this.sending.isHandedOver() })
  }

  onResponseData(_: unknown, piece: Buffer): void {
    this.#body?.receive(piece)
  }

  onResponseEnd(): void {
    this.#body?.end(true)
    this.#over(false)
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#body === undefined) return this.#fail(error)
    this.#body.end(false)
    this.#over(true)
  }

  #over(broke_off: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#onOver?.(broke_off)
  }

  #fail(error: Error): void {
    const unsent = this.#connection === undefined
    const unreachable = unsent && !this.#isAborted && codeOf(error) !== 'UND_ERR_INVALID_ARG'
    this.#resolve({ is: 'fault', says: errorText(error), unsent, unreachable })
    this.#over(!unsent)
  }
}

type Sending = {
  readonly headers: OutgoingRequest['headers']
  readonly body: string | Readable | null
  readonly isHandedOver: () => boolean
}

/** A shorter body is passed in one piece with its headers. */
const PIECE = 65_536
const ALWAYS = () => true

function sendingOf({ headers, body = '' }: OutgoingRequest): Sending {
  if (body.length <= PIECE) return { headers, body: body === '' ? null : body, isHandedOver: ALWAYS }
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
function errorText(error: Error): string {
  const code = codeOf(error)
  return code === undefined || code.startsWith('UND_') ? error.message : code
}

/** The value of a header; the first one if it is repeated. */
export function headerOf({ headers }: Pick<HttpReply, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** `type/subtype` of a reply, in lower case. */
export function mediaType(reply: HttpReply): string {
  const type = headerOf(reply, 'content-type') ?? ''
  return type === 'application/json' ? type : (type.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** For a person: what a page that is no MCP server answered with. */
export const notMcp = (reply: HttpReply): string =>
  `with ${mediaType(reply).slice(0, 100) || 'no content type'}, not MCP`
