import { request as httpRequest } from 'node:http'
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

/** Status of a reply that never came: nobody answers at the target. */
export const NOBODY = 0

export function clientFor(target: Target): Client {
  return (method, path, body, more = {}) =>
    new Promise((resolve) => {
      const nobody = () => resolve({ status: NOBODY, text: '', body: undefined })
      const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const headers: Record<string, string> = { ...more }
      if (payload !== undefined) headers['content-type'] = 'application/json'
      if (target.key !== undefined) headers['authorization'] = `Bearer ${target.key}`
      if (target.as !== undefined) headers['x-sluice-as'] = target.as
      const send = target.url?.startsWith('https:') === true ? httpsRequest : httpRequest
      const place = target.url === undefined ? { socketPath: target.socket, path } : {}
      const request = send(target.url === undefined ? 'http://gate' : new URL(path, target.url), {
        ...place,
        method,
        headers,
      })
      request.on('error', nobody)
      request.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('error', nobody)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, body: jsonOf(text) }))
      })
      request.end(payload)
    })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
