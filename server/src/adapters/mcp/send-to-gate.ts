import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, request as httpsRequest } from 'node:https'
import type { ProblemCode } from '../../kernel/contract/problems.ts'

/** Where the gate is: the data folder's socket, or an address. */
export type GateAddress = {
  readonly socket?: string
  readonly url?: string
  /** With the query that chooses a surface. */
  readonly path: string
  /** The headers that identify the caller. */
  readonly headers: Readonly<Record<string, string>>
  /** Starts the gate if possible, or returns why it did not start. */
  start(): Promise<GateStart>
}

export type GateStart = { readonly ok: boolean; readonly why?: string }

/** Why there is no answer. `why`: the message of a gate that could not be started. */
export type NoAnswer = {
  readonly code: Extract<ProblemCode, 'gate.absent' | 'gate.broke_off'>
  readonly why?: string
}
export const isNoAnswer = (reply: IncomingMessage | NoAnswer): reply is NoAnswer => 'code' in reply

/** Sends one request. Resolves when the answer begins, or with the code of why there is none. */
export type SendToGate = (
  method: 'GET' | 'POST',
  headers: Readonly<Record<string, string>>,
  body: Buffer | undefined,
  options: {
    readonly mayRepeat: boolean
    readonly onSent: (request: ClientRequest) => void
    /** A path other than the MCP door's. */
    readonly path?: string
  },
) => Promise<IncomingMessage | NoAnswer>

const NOT_LISTENING = new Set(['ECONNREFUSED', 'ENOENT'])

/**
 * Sends requests to the gate over persistent connections. If no gate is running, the first request starts one for all. A request
 * that was sent and not answered is sent again only if repeating it is harmless.
 */
export function sendToGate({ socket, url, path, headers: own, start }: GateAddress): SendToGate {
  const isSecure = url?.startsWith('https:') === true
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  let starting: Promise<GateStart> | undefined

  const once: (...args: Parameters<SendToGate>) => Promise<IncomingMessage | 'not_listening' | 'broke_off'> = (
    method,
    headers,
    body,
    { onSent, path: to = path },
  ) =>
    new Promise((resolve) => {
      const place = url === undefined ? 'http://gate' : new URL(to, url)
      const socketPath = url === undefined ? { socketPath: socket, path: to } : {}
      const send = isSecure ? httpsRequest : httpRequest
      const length = body === undefined ? {} : { 'content-length': body.length }
      const request = send(place, { ...socketPath, agent, method, headers: { ...own, ...headers, ...length } })
      request.once('response', resolve)
      request.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
        resolve(NOT_LISTENING.has(code) ? 'not_listening' : 'broke_off'),
      )
      onSent(request)
      request.end(body)
    })

  return async (...args) => {
    const reply = await once(...args)
    if (typeof reply !== 'string') return reply
    const [, , , { mayRepeat }] = args
    if (reply === 'broke_off' && !mayRepeat) return { code: 'gate.broke_off' }
    starting ??= start().finally(() => (starting = undefined))
    const started = await starting
    const again = started.ok ? await once(...args) : reply
    if (typeof again !== 'string') return again
    const why = started.why === undefined ? {} : { why: started.why }
    return { code: again === 'not_listening' ? 'gate.absent' : 'gate.broke_off', ...why }
  }
}
