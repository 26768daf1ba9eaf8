import { request as httpRequest, type ClientRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

/** Where the gate is and which caller we are: the data folder's socket, or an address with a key. */
export type Target = {
  readonly socket?: string
  readonly url?: string
  readonly key?: string
  /** On the socket: act as a caller with fewer rights than the folder's owner. */
  readonly as?: string
}

export type GateResponse = {
  readonly status: number
  readonly text: string
  readonly body: unknown
  /** Why there was no answer, in plain words. */
  readonly why?: string
  /** The address that was tried, if it is not the local socket. */
  readonly at?: string
  /** There is no configuration to start a gate with. */
  readonly unconfigured?: true
}

export type CliClient = (
  method: string,
  path: string,
  body?: unknown,
  more?: Readonly<Record<string, string>>,
) => Promise<GateResponse>

/** Status when no gate could be reached: the request was never sent. */
export const UNREACHED = 0
/** Status when the connection broke after the request was sent: it may have been carried out. */
export const BROKE_OFF = -1

/** Why there is no answer when no gate is running at the target. */
export const NOT_LISTENING = 'connection refused'

/** Errors that happen before a request is sent, and what they mean. */
const NEVER_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: NOT_LISTENING,
  ENOENT: NOT_LISTENING,
  ENOTSOCK: NOT_LISTENING,
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name could not be resolved',
  EACCES: 'you do not have permission to use its socket; run the command as the user who started the gate',
  EPERM: 'you do not have permission to use its socket; run the command as the user who started the gate',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the address cannot be reached from here',
  EINVAL: 'the path of its socket is too long for this system; use a data folder with a shorter path',
}
/** A failed TLS handshake: `https:` to a plain HTTP port, or an untrusted certificate. */
const TLS = /^(EPROTO|ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

const neverSent = (code: string): string | undefined =>
  NEVER_SENT[code] ?? (TLS.test(code) ? `the TLS handshake failed (${code})` : undefined)

/** The headers that identify the caller. */
export const headersOf = ({ key, as }: Target): Record<string, string> => ({
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(as === undefined ? {} : { 'x-sluice-as': as }),
})

export function clientFor(target: Target): CliClient {
  return (method, path, body, more = {}) =>
    new Promise((resolve) => {
      const fail = ({ code = '' }: NodeJS.ErrnoException) => {
        const why = neverSent(code)
        const known = why === undefined ? { status: BROKE_OFF } : { status: UNREACHED, why }
        resolve({ ...known, text: '', body: undefined })
      }
      const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const headers = payload === undefined ? more : { ...more, 'content-type': 'application/json' }
      const request = requestTo(target, method, path, headers)
      request.on('error', fail)
      request.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('error', () => fail({ name: '', message: '' }))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, body: jsonOf(text) }))
      })
      request.end(payload)
    })
}

/** Follows the events of the gate until it is stopped: calls `onEvent` for each, and once more after each reconnect. */
export type FollowPath = (path: string, onEvent: () => void) => () => void

const AGAIN_MS = 1000
const COMMENT = /^:[^\n]*\n*$/

export function followFor(target: Target): FollowPath {
  return (path, onEvent) => {
    let stopped = false
    let request: ClientRequest | undefined
    const connect = () => {
      let over = false
      const again = () => {
        if (over || stopped) return
        over = true
        setTimeout(connect, AGAIN_MS)
      }
      if (stopped) return
      request = requestTo(target, 'GET', path, { accept: 'text/event-stream' })
      request.on('error', again)
      request.on('response', (response) => {
        response.setEncoding('utf8')
        // The caller fetches what changed, so an event that arrives in two pieces only causes two fetches. A
        // comment alone only keeps the connection open.
        response.on('data', (text: string) => (COMMENT.test(text) ? undefined : onEvent()))
        response.on('error', again)
        response.on('close', again)
      })
      request.end()
    }
    connect()
    return () => {
      stopped = true
      request?.destroy()
    }
  }
}

export function requestTo(
  target: Target,
  method: string,
  path: string,
  more: Readonly<Record<string, string>>,
): ClientRequest {
  const headers = { ...more, ...headersOf(target) }
  const send = target.url?.startsWith('https:') === true ? httpsRequest : httpRequest
  const place = target.url === undefined ? { socketPath: target.socket, path } : {}
  return send(target.url === undefined ? 'http://gate' : new URL(path, target.url), { ...place, method, headers })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
