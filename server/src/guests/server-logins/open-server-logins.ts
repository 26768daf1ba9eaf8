import { exchangeAuthorization, startAuthorization, type FetchLike } from '@modelcontextprotocol/client'
import type { ServerLogins, StartedLogin, LoginSlot } from '../../kernel/ports/logins.ts'
import type { LoginStore, StoredLogin } from './server-login.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { ConnectionLogins, HttpServer, LoginsGiven } from '../../adapters/upstream/server-kind.ts'
import { addressRules } from './address-rules.ts'
import { ATTEMPT_MS, openAttempts, randomText, slotKey, type ToolLoginAttempt } from './login-attempts.ts'
import { discoverLogin, revocationOf } from './discover-login.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { openLoginTokens, type LoginTokens } from './login-tokens.ts'
import { clientFor } from './register-client.ts'
import { openLoginStore } from './server-logins.ts'
import { sayFault } from './say-fault.ts'
import { tokensOf } from './token-answer.ts'
import { refuse } from './problems.ts'

type OpenServerLoginsPorts = Omit<LoginsGiven, 'keys'> & {
  readonly store: LoginStore
  /** For one request to an authorization server. */
  readonly timeout_ms?: number
}

export type OpenServerLogins = ServerLogins &
  ConnectionLogins & {
    leave(server: string): void
    tokens(slot: LoginSlot): LoginTokens | undefined
  }

const TIMEOUT_MS = 10_000
export const CALLBACK_PATH = '/oauth/callback'
export const PAGE_PATH = '/oauth/login'

type Entered = { readonly server: HttpServer; readonly fetch: FetchLike; readonly tokens: Map<string, LoginTokens> }

/** The logins that are stored beside the keys of a gate. */
export const openLogins = ({ keys, ...given }: LoginsGiven): OpenServerLogins =>
  openServerLogins({ ...given, store: openLoginStore(keys) })

/** Logins at tool servers over HTTP: discovery, registration, the browser flow, and the tokens of each slot. */
export function openServerLogins(deps: OpenServerLoginsPorts): OpenServerLogins {
  const { store, clock, timeout_ms = TIMEOUT_MS } = deps
  const entered = new Map<string, Entered>()
  const attempts = openAttempts(clock)
  const starting = new Map<string, Promise<Result<StartedLogin>>>()
  const listeners = new Set<(slot: LoginSlot) => void>()

  const rulesOf = ({ url, login }: HttpServer) => addressRules(url, login?.issuer)
  const changed = (slot: LoginSlot) => {
    for (const listener of listeners) listener(slot)
  }
  const failed = ({ server }: LoginSlot, why: string) => refuse('login.failed', { server, why })

  function tokens(slot: LoginSlot): LoginTokens | undefined {
    const at = entered.get(slot.server)
    if (at === undefined) return undefined
    const kept = at.tokens.get(slotKey(slot))
    if (kept !== undefined) return kept
    const warn = (says: string) => deps.warn(slot.server, says)
    const opened = openLoginTokens({ ...at, slot, store, clock, warn, onSecrets: deps.onSecrets })
    at.tokens.set(slotKey(slot), opened)
    return opened
  }

  async function begin(slot: LoginSlot, by: string): Promise<Result<StartedLogin>> {
    const at = entered.get(slot.server)
    const held = tokens(slot)
    if (at === undefined || held === undefined) return refuse('login.not_offered', { server: slot.server })
    const challenge = held.challenge()
    const before = attempts.waiting(slot, challenge.scope)
    if (before !== undefined) return ok(shown(before))
    if (attempts.isFull()) return refuse('login.too_many')
    try {
      const found = await discoverLogin({ ...at, rules: rulesOf(at.server) }, challenge)
      if (typeof found === 'string') return failed(slot, found)
      const { scope } = found
      const redirect_uri = `${deps.base()}${CALLBACK_PATH}`
      const client = await clientFor({ ...at, store }, found, redirect_uri)
      if (typeof client === 'string') return failed(slot, client)
      const state = randomText()
      const { authorizationUrl, codeVerifier } = await startAuthorization(found.issuer, {
        metadata: found.metadata,
        clientInformation: client,
        redirectUrl: redirect_uri,
        state,
        ...(scope === undefined ? {} : { scope }),
        ...(found.resource === undefined ? {} : { resource: found.resource }),
      })
      const attempt: ToolLoginAttempt = {
        slot,
        by,
        ticket: randomText(),
        state,
        secret: randomText(),
        verifier: codeVerifier,
        redirect_uri,
        authorization_url: authorizationUrl.href,
        discovered: found,
        client,
        wanted: challenge.scope,
        expires_at: clock() + ATTEMPT_MS,
      }
      attempts.add(attempt)
      return ok(shown(attempt))
    } catch (error) {
      return failed(slot, sayFault(error))
    }
  }

  const shown = ({ ticket, authorization_url, expires_at, discovered }: ToolLoginAttempt): StartedLogin => ({
    url: `${deps.base()}${PAGE_PATH}/${ticket}`,
    authorization_url,
    began_at: clock(),
    expires_at,
    issuer: discovered.issuer,
  })

  /** One at a time per slot: concurrent callers get the same one. */
  function start(slot: LoginSlot, by: string): Promise<Result<StartedLogin>> {
    const key = slotKey(slot)
    const started = starting.get(key) ?? begin(slot, by).finally(() => starting.delete(key))
    starting.set(key, started)
    return started
  }

  async function redeem(
    attempt: ToolLoginAttempt,
    code: string,
    iss: string | undefined,
  ): Promise<StoredLogin | string> {
    const { slot, discovered, client, verifier, redirect_uri } = attempt
    const at = entered.get(slot.server)
    if (at === undefined) return 'the server is no longer configured'
    const { metadata, issuer, resource, scope } = discovered
    const granted = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: redirect_uri,
      ...(iss === undefined ? {} : { iss }),
      ...(resource === undefined ? {} : { resource }),
      fetchFn: at.fetch,
    })
    const got = tokensOf(granted, scope, clock())
    if (typeof got === 'string') return got
    const revocation_endpoint = revocationOf(metadata)
    const auth_methods = metadata.token_endpoint_auth_methods_supported
    return {
      v: 1,
      ...slot,
      url: at.server.url,
      issuer,
      client,
      token_endpoint: metadata.token_endpoint,
      ...(revocation_endpoint === undefined ? {} : { revocation_endpoint }),
      ...(auth_methods === undefined ? {} : { auth_methods }),
      ...(resource === undefined ? {} : { resource }),
      ...got,
      logged_in_at: clock(),
    }
  }

  return {
    enter(server) {
      if (server.login === undefined) return
      const before = entered.get(server.name)?.server
      // The same tokens stay in use: if two refreshed them, one would lose.
      if (JSON.stringify(before) === JSON.stringify(server)) return
      entered.set(server.name, { server, fetch: guardedFetch(rulesOf(server), timeout_ms), tokens: new Map() })
    },
    leave: (server) => void entered.delete(server),
    tokens,
    onChange: (listener) => void listeners.add(listener),
    kind: (server) => entered.get(server)?.server.login?.per,
    start,
    page(ticket) {
      const attempt = attempts.byTicket(ticket)
      if (attempt === undefined) return refuse('login.unknown')
      const { slot, discovered, authorization_url, secret } = attempt
      const { issuer, scope } = discovered
      return ok({ ...slot, issuer, authorization_url, secret, ...(scope === undefined ? {} : { scope }) })
    },
    async finish({ state, code, iss, error, secrets = [] }, as) {
      const attempt = state === undefined ? undefined : attempts.takeByState(state)
      if (attempt === undefined) return refuse('login.unknown')
      const { slot, discovered, by } = attempt
      // Until the tokens are here, the login still counts as waiting; a rejection ends it immediately.
      if (error !== undefined || code === undefined) attempts.finished(attempt)
      const isTheirs = as === undefined ? secrets.includes(attempt.secret) : slotKey(as) === slotKey(slot)
      if (!isTheirs) {
        attempts.finished(attempt)
        return failed(slot, 'it was completed in a different browser than it was started in')
      }
      if (error !== undefined && code === undefined)
        return failed(slot, `the authorization server refused${/^[a-z_]{1,64}$/.test(error) ? ` (${error})` : ''}`)
      if (code === undefined) return failed(slot, 'the authorization server sent no code')
      try {
        const login = await redeem(attempt, code, iss)
        if (typeof login === 'string') return failed(slot, login)
        const saved = store.write(login)
        if (!saved.ok) return failed(slot, `it could not be saved (${saved.problem.about['why'] ?? ''})`)
        tokens(slot)?.adopt(login)
        changed(slot)
        return ok({ ...slot, issuer: discovered.issuer, by })
      } catch (error) {
        return failed(slot, sayFault(error))
      } finally {
        attempts.finished(attempt)
      }
    },
    async end(slot) {
      const at = entered.get(slot.server)
      const held = tokens(slot)
      if (at === undefined || held === undefined) return refuse('login.not_offered', { server: slot.server })
      attempts.drop(slot)
      const was = held.forget()
      const revoked = was !== undefined && (await revokeLogin(at.fetch, was))
      changed(slot)
      return ok({ revoked })
    },
    users: (server) => store.users(server),
    status(slot) {
      const waiting_until = attempts.waitingUntil(slot)
      const status = tokens(slot)?.status() ?? { ...slot, state: 'none' as const }
      return waiting_until === undefined ? status : { ...status, waiting_until }
    },
  }
}

/** Asks the authorization server to revoke the tokens (RFC 7009). False if it cannot, or does not answer. */
async function revokeLogin(fetch: FetchLike, login: StoredLogin): Promise<boolean> {
  const { revocation_endpoint, access_token, refresh_token } = login
  if (revocation_endpoint === undefined) return false
  const revoke = async (token: string, hint: string): Promise<boolean> => {
    const { headers, params } = clientAuth(login)
    const body = new URLSearchParams({ token, token_type_hint: hint, ...params })
    const answer = await fetch(revocation_endpoint, { method: 'POST', headers: { ...FORM, ...headers }, body })
    return answer.ok
  }
  try {
    const first = refresh_token === undefined ? true : await revoke(refresh_token, 'refresh_token')
    return (await revoke(access_token, 'access_token')) && first
  } catch {
    return false
  }
}

const FORM = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' }

type ClientAuth = { readonly headers: Record<string, string>; readonly params: Record<string, string> }

function clientAuth({ client }: StoredLogin): ClientAuth {
  const { client_id, client_secret, token_endpoint_auth_method: method } = client
  if (client_secret === undefined || method === 'none') return { headers: {}, params: { client_id } }
  if (method === 'client_secret_post') return { headers: {}, params: { client_id, client_secret } }
  const pair = [client_id, client_secret].map(encodeURIComponent).join(':')
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, params: {} }
}
