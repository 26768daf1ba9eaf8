import { headerOf, type HttpReply } from '../http/exchange.ts'

/** What a server said when it asked for a login, or for more permissions. */
export type Challenge = { readonly resource_metadata?: string; readonly scope?: string }

/** `login`: it accepts no request without one. `wider`: this request needs permissions that the current login does not have. */
export type Challenged = Challenge & { readonly asks: 'login' | 'wider'; readonly bearer: boolean }

const LONGEST = 4_096
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: +[\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Reads a 401, or a 403 for insufficient scope (RFC 6750). Undefined for any other answer. */
export function challengeOf(reply: Pick<HttpReply, 'status' | 'headers'>): Challenged | undefined {
  if (reply.status !== 401 && reply.status !== 403) return undefined
  const header = (headerOf(reply, 'www-authenticate') ?? '').slice(0, LONGEST)
  const bearer = /^\s*(?:bearer|dpop)\b/i.test(header) || /,\s*bearer\s/i.test(header)
  const field = (name: string) =>
    new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s,]+))`, 'i').exec(header)?.slice(1).find(Boolean)
  const [resource_metadata, scope] = [field('resource_metadata'), field('scope')?.trim()]
  const said = {
    bearer,
    ...(resource_metadata === undefined ? {} : { resource_metadata }),
    ...(scope === undefined || !SCOPE.test(scope) ? {} : { scope }),
  }
  if (reply.status === 401) return { asks: 'login', ...said }
  return reply.status === 403 && bearer && field('error') === 'insufficient_scope'
    ? { asks: 'wider', ...said }
    : undefined
}

/** The words of both, each once. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopes.flatMap((scope) => scope?.split(/ +/) ?? []).filter((word) => word !== '')
  return words.length === 0 ? undefined : [...new Set(words)].join(' ')
}
