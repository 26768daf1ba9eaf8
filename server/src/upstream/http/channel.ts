import { Agent as PlainAgent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { HttpServer } from '../server-config.ts'
import { exchange, type Ask, type Exchange, type NoReply, type Reply } from './exchange.ts'
import type { Tokens } from './tokens.ts'

export type Channel = {
  /** One request, to the configured address unless told otherwise. */
  ask(ask: Ask, url?: URL): Exchange
  readonly url: URL
  /** Ends everything that is open. */
  destroy(): void
}

/**
 * Less than the five seconds after which many servers end an idle connection: a request on one that is just being ended
 * would be lost, and nobody could say whether it ran.
 */
const IDLE_MS = 4_000
const MOST_HOPS = 3

/**
 * Requests to one origin, with its credentials, on connections that are kept.
 * INVARIANT: no request and no credential goes to another origin, whatever the server answers.
 */
export function openChannel(config: HttpServer, tokens: Tokens | undefined): Channel {
  const base = new URL(config.url)
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: config.concurrency }
  const agent = base.protocol === 'https:' ? new SecureAgent(options) : new PlainAgent(options)
  const open = new Set<Exchange>()

  /** Where one connection broke off, those that lie idle are likely to be broken too. A call on one would be lost. */
  function dropIdle(): void {
    for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy()
  }

  function ask(ask: Ask, url = base): Exchange {
    let current: Exchange | undefined
    let aborted = false

    async function once(at: URL, token: string | undefined): Promise<Reply | NoReply> {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      current = exchange(at, { ...ask, headers: { ...config.headers, ...authorization, ...ask.headers } }, agent)
      return current.reply
    }

    async function go(): Promise<Reply | NoReply> {
      let at = url
      let refused: string | undefined
      for (let hops = 0; ;) {
        if (at.origin !== base.origin) return unsent('it points to another origin, where nothing is sent')
        const token = await tokens?.token(refused)
        if (token?.ok === false) return unsent(token.says)
        if (aborted) return unsent('given up')
        const reply = await once(at, token?.value)
        if (reply.is === 'fault') return reply
        const next = redirection(reply, at, ask.method)
        const is_refused = reply.status === 401 && token !== undefined && refused === undefined
        if (!is_refused && (next === undefined || hops >= MOST_HOPS)) return reply
        // Neither answer means that anything was done with the request.
        reply.body.resume()
        current = undefined
        if (is_refused) refused = token.value
        else if (next !== undefined) {
          at = next
          hops += 1
        }
      }
    }

    const whole: Exchange = {
      reply: go(),
      mayHaveLeft: () => current?.mayHaveLeft() ?? false,
      abort() {
        aborted = true
        current?.abort()
      },
    }
    open.add(whole)
    void whole.reply.then(async (reply) => {
      if (reply.is === 'reply') await new Promise((resolve) => reply.body.once('close', resolve))
      open.delete(whole)
      const is_broken = reply.is === 'fault' ? !reply.unsent : !reply.body.complete
      return is_broken && !aborted ? dropIdle() : undefined
    })
    return whole
  }

  return {
    ask,
    url: base,
    destroy() {
      for (const each of open) each.abort()
      agent.destroy()
    },
  }
}

const unsent = (says: string): NoReply => ({ is: 'fault', says, unsent: true, unreachable: false })

/** Where a reply sends the same request, if it does: others turn a POST into a GET, or say that it was carried out. */
function redirection(reply: Reply, from: URL, method: Ask['method']): URL | undefined {
  const keeps = [307, 308].includes(reply.status) || (method === 'GET' && [301, 302, 303].includes(reply.status))
  const location = keeps ? reply.headers.location : undefined
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from) : undefined
}
