import { refreshAuthorization, type FetchLike } from '@modelcontextprotocol/client'
import type { LoginStatus, LoginSlot } from '../../kernel/ports/logins.ts'
import type { LoginStore, StoredLogin } from './server-login.ts'
import type { RefusedToken, ServerToken, Tokens } from '../../adapters/upstream/http/tokens.ts'
import type { HttpServer } from '../../adapters/upstream/server-kind.ts'
import { joinScopes, type Challenge, type Challenged } from '../../adapters/upstream/login/challenge.ts'
import { errorCodeOf, sayFault } from './say-fault.ts'
import { metadataOf, tokensOf } from './token-answer.ts'

export type LoginTokens = Tokens & {
  /** What the server last said about the login that it needs. */
  challenge(): Challenge
  adopt(login: StoredLogin): void
  /** Deletes the login here; returns what it was. */
  forget(): StoredLogin | undefined
  status(): LoginStatus
}

export type LoginTokensPorts = {
  readonly server: HttpServer
  readonly slot: LoginSlot
  readonly store: LoginStore
  readonly fetch: FetchLike
  readonly clock: () => number
  readonly warn: (says: string) => void
  /** Called when the current secrets change. */
  readonly onSecrets: () => void
}

/** After these errors the login is over. Others may be temporary. */
const OVER = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client'])
/** How long a failing authorization server is not asked again. */
const PAUSE_MS = 1_000
/** Nobody has logged in: the request is sent without a token. */
const NO_TOKEN: ServerToken = { ok: true, value: undefined }

/**
 * The tokens of one login: used while they are valid, refreshed before they expire, once for all callers.
 * INVARIANT: a refresh goes to the token endpoint that the person logged in with, whatever the tool server says now.
 */
export function openLoginTokens(deps: LoginTokensPorts): LoginTokens {
  const { server, slot, store, clock } = deps
  let login = stored(deps)
  let refreshing: Promise<ServerToken> | undefined
  let failure: { readonly says: string; readonly until: number } | undefined
  let lastChallenge: Challenge = {}
  /** Why a person is needed, once the server or its authorization server said so. */
  let need: string | undefined
  /** Rejected although it was fresh: another one would not help. */
  let refused_fresh: string | undefined
  /** The newest tokens are only in memory: the file could not be written. */
  let unsaved = false

  const needed = (why: string): ServerToken => {
    need = why
    return { ok: false, login: true, says: why }
  }

  function save(next: StoredLogin): void {
    login = next
    const saved = store.write(next)
    unsaved = !saved.ok
    if (!saved.ok)
      deps.warn(`its login could not be saved (${saved.problem.about['why'] ?? ''}); the next call tries again`)
    deps.onSecrets()
  }

  async function refresh(from: StoredLogin, refresh_token: string): Promise<ServerToken> {
    const { refreshing_since: interrupted, ...before } = from
    save({ ...before, refreshing_since: clock() })
    try {
      const granted = await refreshAuthorization(from.issuer, {
        metadata: metadataOf(from),
        clientInformation: from.client,
        refreshToken: refresh_token,
        ...(from.resource === undefined ? {} : { resource: new URL(from.resource) }),
        fetchFn: deps.fetch,
      })
      const tokens = tokensOf(granted, from.scope, clock())
      if (typeof tokens === 'string') return failed(before, tokens)
      failure = undefined
      need = undefined
      save({ ...before, ...tokens })
      return { ok: true, value: tokens.access_token }
    } catch (error) {
      const code = errorCodeOf(error)
      if (code === undefined || !OVER.has(code)) return failed(before, sayFault(error))
      if (code !== 'invalid_grant') store.removeClient(server.name)
      store.remove(slot)
      login = undefined
      deps.onSecrets()
      return needed(
        interrupted === undefined
          ? 'the login expired or was revoked'
          : 'the gate stopped while it was refreshing the login, so the login is lost',
      )
    }
  }

  /** Nothing is known to be lost, so the login is kept; a token that is still valid is used. */
  function failed(before: StoredLogin, says: string): ServerToken {
    save(before)
    failure = { says: `the login could not be refreshed: ${says}`, until: clock() + PAUSE_MS }
    return unlessExpired(before) ?? { ok: false, says: failure.says }
  }

  function unlessExpired({ access_token, expires_at }: StoredLogin): ServerToken | undefined {
    return expires_at === undefined || clock() < expires_at ? { ok: true, value: access_token } : undefined
  }

  function refreshOnce(from: StoredLogin): Promise<ServerToken> | ServerToken {
    const { refresh_token } = from
    if (refreshing !== undefined) return refreshing
    if (failure !== undefined && clock() < failure.until)
      return unlessExpired(from) ?? { ok: false, says: failure.says }
    if (refresh_token === undefined) return unlessExpired(from) ?? needed('the login expired')
    refreshing = refresh(from, refresh_token).finally(() => (refreshing = undefined))
    return refreshing
  }

  async function afterRefusal({ value, challenge, again }: RefusedToken): Promise<ServerToken> {
    lastChallenge = { ...lastChallenge, ...challenge }
    if (challenge.asks === 'wider') {
      lastChallenge = { ...lastChallenge, ...scopeOf(joinScopes(login?.scope, challenge.scope)) }
      const limit = server.login?.scope === undefined ? '' : ', which `login.scope` in the configuration leaves out'
      return { ok: false, login: true, says: `the server asks for more permissions${listed(challenge.scope)}${limit}` }
    }
    if (login === undefined) return needed('nobody has logged in')
    // Another caller's refresh came first.
    if (!again && login.access_token !== value) return { ok: true, value: login.access_token }
    if (again) refused_fresh = login.access_token
    if (login.access_token === refused_fresh || login.refresh_token === undefined)
      return needed('the server no longer accepts the login')
    return (refreshing ??= refresh(login, login.refresh_token).finally(() => (refreshing = undefined)))
  }

  return {
    kind: 'login',
    concerns: (challenge: Challenged) =>
      challenge.asks === 'wider' ||
      server.login?.configured === true ||
      challenge.bearer ||
      Object.keys(server.headers).length === 0,
    token(refused) {
      if (unsaved && login !== undefined) save(login)
      if (refused !== undefined) return afterRefusal(refused)
      if (login === undefined) return NO_TOKEN
      if (login.renew_at === undefined || clock() < login.renew_at) return { ok: true, value: login.access_token }
      return refreshOnce(login)
    },
    secrets: () =>
      [login?.access_token, login?.refresh_token, login?.client.client_secret].filter((text) => text !== undefined),
    challenge: () => lastChallenge,
    adopt(next) {
      login = next
      need = undefined
      failure = undefined
      lastChallenge = {}
      deps.onSecrets()
    },
    forget() {
      const was = login
      login = undefined
      store.remove(slot)
      deps.onSecrets()
      return was
    },
    status: () => statusOf(slot, login, need),
  }
}

const scopeOf = (scope: string | undefined) => (scope === undefined ? {} : { scope })
const listed = (scope: string | undefined) => (scope === undefined ? '' : `: \`${scope.slice(0, 200)}\``)

/** The stored login, unless it was for another URL or another authorization server than the configured ones. */
function stored({ store, slot, server, warn }: LoginTokensPorts): StoredLogin | undefined {
  const read = store.read(slot)
  if (!read.ok) {
    warn(`its login cannot be read (${read.problem.about['why'] ?? ''})`)
    return undefined
  }
  const { url, issuer } = read.value ?? {}
  const pinned = server.login?.issuer
  const isOurs =
    url === server.url && (pinned === undefined || issuer?.replace(/\/$/, '') === pinned.replace(/\/$/, ''))
  return isOurs ? read.value : undefined
}

function statusOf(slot: LoginSlot, login: StoredLogin | undefined, need: string | undefined): LoginStatus {
  const why = need === undefined ? {} : { why: need }
  if (login === undefined) return { ...slot, state: need === undefined ? 'none' : 'needed', ...why }
  const { issuer, scope, logged_in_at, expires_at, refresh_token } = login
  return {
    ...slot,
    state: need === undefined ? 'logged_in' : 'needed',
    issuer,
    logged_in_at,
    renews: refresh_token !== undefined,
    ...scopeOf(scope),
    ...(expires_at === undefined ? {} : { expires_at }),
    ...why,
  }
}
