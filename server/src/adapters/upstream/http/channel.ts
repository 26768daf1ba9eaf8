import type { HttpServer } from '../server-kind.ts'
import { hasKeys } from '../has-keys.ts'
import {
  exchange,
  headerOf,
  type OutgoingRequest,
  type OutgoingExchange,
  type NoReply,
  type HttpReply,
} from './exchange.ts'
import { openPool } from './pool.ts'
import { challengeOf } from '../login/challenge.ts'
import type { RefusedToken, Tokens } from './tokens.ts'

export type HttpChannel = {
  /** One request, to the configured URL by default. */
  ask(ask: OutgoingRequest, url?: URL): OutgoingExchange
  readonly url: URL
  /** Why somebody has to log in, if the last request was rejected for that. */
  loginNeed(): string | undefined
  /** Ends everything that is open. */
  destroy(): void
}

const MOST_HOPS = 3

/**
 * Requests to one origin, with its credentials, on persistent connections.
 * INVARIANT: no request and no credential goes to another origin, whatever the server answers.
 */
export function openChannel(config: HttpServer, tokens: Tokens | undefined): HttpChannel {
  const base = new URL(config.url)
  /** A list of places instead of a set: a set that changes with every request keeps ended ones in memory for longer. */
  const open: (OutgoingExchange | undefined)[] = []
  const free: number[] = []
  let pool = openPool(base.origin)
  let destroyed = false
  let login_need: string | undefined
  const { mayAct } = config
  /** The headers of a request with this token, under those of the request itself. */
  const headersFor = (token: string | undefined, own: OutgoingRequest['headers']): OutgoingRequest['headers'] => {
    if (token !== undefined) return { ...config.headers, authorization: `Bearer ${token}`, ...own }
    return hasKeys(config.headers) ? { ...config.headers, ...own } : own
  }

  /** If one connection broke, idle ones are likely broken too. A call on one would be lost. */
  function dropIdle(): void {
    const old = pool
    pool = openPool(base.origin)
    // Requests in progress finish normally.
    void old.close()
  }

  /** One request, repeated where the server asks for it. A class, because one is made for every call. */
  class Asked implements OutgoingExchange {
    readonly reply: Promise<HttpReply | NoReply>
    readonly #ask: OutgoingRequest
    #current: OutgoingExchange | undefined
    #isAborted = false

    constructor(ask: OutgoingRequest, url: URL) {
      this.#ask = ask
      this.reply = this.#go(url)
    }

    mayHaveLeft(): boolean {
      return this.#current?.mayHaveLeft() ?? false
    }

    abort(): void {
      this.#isAborted = true
      this.#current?.abort()
    }

    #once(at: URL, token: string | undefined): OutgoingExchange {
      const { method, headers, body } = this.#ask
      const place = free.pop() ?? open.length
      let is_over = false
      const sent = { method, headers: headersFor(token, headers), body, mayAct }
      const begun = exchange(at, sent, pool, (broke_off) => {
        is_over = true
        open[place] = undefined
        free.push(place)
        if (broke_off && !this.#isAborted && !destroyed) dropIdle()
      })
      if (!is_over) open[place] = begun
      return begun
    }

    async #go(url: URL): Promise<HttpReply | NoReply> {
      let at = url
      let refused: RefusedToken | undefined
      for (let hops = 0; ;) {
        if (at !== base && at.origin !== base.origin)
          return unsent('it names an address on another origin, which is not used')
        const known = tokens?.token(refused)
        const token = known instanceof Promise ? await known : known
        if (token?.ok === false) {
          if (token.login !== true) return unsent(token.says)
          login_need = token.says
          return unsent(token.says, refused?.challenge.asks === 'wider' ? 'wider' : 'needed')
        }
        if (this.#isAborted || destroyed) return unsent('the request was aborted')
        this.#current = this.#once(at, token?.value)
        const reply = await this.#current.reply
        if (reply.is === 'fault') return reply
        const next = redirection(reply, at, this.#ask.method)
        const challenge = tokens === undefined ? undefined : challengeOf(reply)
        const again = refused !== undefined
        // A second rejection of credentials is final; for a login it means that a person is needed.
        const is_refused =
          challenge !== undefined && tokens?.concerns(challenge) === true && (!again || tokens.kind === 'login')
        if (!is_refused) login_need = undefined
        if (!is_refused && (next === undefined || hops >= MOST_HOPS)) return reply
        // Neither answer means that anything was done with the request.
        reply.body.drain()
        this.#current = undefined
        if (is_refused) refused = { value: token?.value, challenge, again }
        else if (next !== undefined) {
          at = next
          hops += 1
        }
      }
    }
  }

  return {
    ask: (ask, url = base) => new Asked(ask, url),
    url: base,
    loginNeed: () => login_need,
    destroy() {
      destroyed = true
      for (const each of open) each?.abort()
      void pool.destroy()
    },
  }
}

const unsent = (says: string, login?: NoReply['login']): NoReply => ({
  is: 'fault',
  says,
  unsent: true,
  unreachable: false,
  ...(login === undefined ? {} : { login }),
})

/** Where a reply redirects the same request; other redirects turn a POST into a GET, or mean that it was carried out. */
function redirection(reply: HttpReply, from: URL, method: OutgoingRequest['method']): URL | undefined {
  if (reply.status < 300) return undefined
  const keeps = [307, 308].includes(reply.status) || (method === 'GET' && [301, 302, 303].includes(reply.status))
  const location = keeps ? headerOf(reply, 'location') : undefined
  return location !== undefined && URL.canParse(location, from) ? new URL(location, from) : undefined
}
