import { request as httpRequest, type ClientRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

/** Where the gate is and who we are there: the data folder's socket, or an address with a key. */
export type Target = {
  readonly socket?: string
  readonly url?: string
  readonly key?: string
  /** On the socket: speak as somebody lesser than the folder's owner. */
  readonly as?: string
}

export type Reply = { readonly status: number; readonly text: string; readonly body: unknown }

export type Client = (
  method: string,
  path: string,
  body?: unknown,
  more?: Readonly<Record<string, string>>,
) => Promise<Reply>

/** Status when nobody listens at the target: the request was never sent. */
export const NOBODY = 0
/** Status when the connection broke after the request was sent: it may have been carried out. */
export const BROKE_OFF = -1
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND'])

/** How we say who we are. */
export const headersOf = ({ key, as }: Target): Record<string, string> => ({
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(as === undefined ? {} : { 'x-sluice-as': as }),
})

export function clientFor(target: Target): Client {
  return (method, path, body, more = {}) =>
    new Promise((resolve) => {
      const fail = ({ code = '' }: NodeJS.ErrnoException) =>
        resolve({ status: NEVER_SENT.has(code) ? NOBODY : BROKE_OFF, text: '', body: undefined })
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

/** Hears events of the gate until it is stopped: `onEvent` for each, and again whenever a lost connection is back. */
export type Follow = (path: string, onEvent: () => void) => () => void

const AGAIN_MS = 1000
const COMMENT = /^:[^\n]*\n*$/

export function followFor(target: Target): Follow {
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
        // What exactly changed is asked for anew, so an event that arrives in two pieces is just two reasons to ask. A
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

function requestTo(
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
