import { createHash } from 'node:crypto'
import type { LoginAttempt, LoginPlace, OidcReturn, OidcLogins } from '../../kernel/ports/keys.ts'
import type { OidcIssuer } from '../../kernel/contract/auth-settings.ts'
import { Bug, ok, refuse } from '../../kernel/contract/problems.ts'
import { addressIn, discovered, fetchJson, issuerKeys } from './issuer-keys.ts'
import type { DerivedKeys } from './key-folder.ts'
import { verify } from './oidc.ts'
import { signedNonces } from './signed-nonces.ts'

/** An issuer that people log in with at the console, with its secret resolved. */
export type LoginIssuer = { readonly issuer: OidcIssuer; readonly secret: string | undefined }

const FRESH_MS = 600_000
const ASK_AGAIN_MS = 10_000
const ATTEMPT_MS = 600_000
const LONGEST_CODE = 4_096

const failed = (why: string) => refuse('auth.login_failed', { why })

type Endpoints = { readonly authorize: string; readonly token: string; readonly post: boolean }

/**
 * INVARIANT: the returned claims are those of an ID token that the issuer signed for this client, in answer to the attempt that
 * the gate began for this browser.
 */
export function oidcLogins(configured: readonly LoginIssuer[], derived: DerivedKeys, clock: () => number): OidcLogins {
  const known = new Map(
    configured.map((one) => [
      one.issuer.name,
      { ...one, keys: issuerKeys(one.issuer, clock), endpoints: endpointsOf(one.issuer, clock) },
    ]),
  )
  const states = signedNonces(derived, 'sluice.console-login.v1', ATTEMPT_MS)
  /** `state` is the name of the issuer, a dot and what was signed. */
  const attemptIn = (state: string, { browser, redirect_uri }: LoginPlace): LoginAttempt | undefined => {
    const at = state.lastIndexOf('.')
    const name = state.slice(0, Math.max(at, 0))
    const found = states.read(state.slice(at + 1), [name, browser, redirect_uri], clock())
    return (
      found && {
        id: found.nonce,
        name,
        nonce: found.secret('nonce'),
        verifier: found.secret('verifier'),
        expires_at: found.expires_at,
      }
    )
  }

  async function finish(
    attempt: LoginAttempt,
    { code, iss, error }: OidcReturn,
    redirect_uri: string,
  ): ReturnType<OidcLogins['finish']> {
    const found = known.get(attempt.name)
    const login = found?.issuer.login
    if (found === undefined || login === undefined) return failed('the issuer is not configured for it')
    if (iss !== undefined && iss !== found.issuer.issuer) return failed('the answer comes from another issuer')
    if (error !== undefined || code === undefined || code.length > LONGEST_CODE)
      return failed(error === 'access_denied' ? 'you did not agree at the issuer' : 'the issuer answered with an error')
    const endpoints = await found.endpoints()
    if (endpoints === undefined) return refuse('auth.issuer_unavailable', { issuer: found.issuer.issuer })
    const asked = tokenRequest({ ...login, secret: found.secret, post: endpoints.post }, code, attempt, redirect_uri)
    const answer = await fetchJson(endpoints.token, asked)
    const token =
      typeof answer === 'object' && answer !== null ? (answer as { id_token?: unknown }).id_token : undefined
    if (typeof token !== 'string') return failed('the issuer gave no ID token')
    const claims = await verify(token, found, clock, 'id', login.client_id)
    if (!claims.ok) return claims
    if (claims.value['nonce'] !== attempt.nonce) return failed('the ID token belongs to another login')
    const { azp, aud } = claims.value
    const needsParty = Array.isArray(aud) && aud.length > 1
    if ((azp !== undefined || needsParty) && azp !== login.client_id)
      return failed('the ID token was made for another client')
    return ok({ issuer: found.issuer, claims: claims.value })
  }

  return {
    names: [...known.keys()],
    async begin(name, place) {
      const found = known.get(name)
      const login = found?.issuer.login
      if (found === undefined || login === undefined) return failed('the issuer is not configured for it')
      const endpoints = await found.endpoints()
      if (endpoints === undefined) return refuse('auth.issuer_unavailable', { issuer: found.issuer.issuer })
      const state = `${name}.${states.make([name, place.browser, place.redirect_uri], clock())}`
      const attempt = attemptIn(state, place)
      if (attempt === undefined) throw new Bug('a login that was just begun is not recognized')
      const url = new URL(endpoints.authorize)
      const words = {
        response_type: 'code',
        client_id: login.client_id,
        redirect_uri: place.redirect_uri,
        scope: login.scope,
        state,
        nonce: attempt.nonce,
        code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [word, value] of Object.entries(words)) url.searchParams.set(word, value)
      return ok({ url: url.href })
    },
    attemptOf: async (state, place) => (state === undefined ? undefined : attemptIn(state, place)),
    finish,
  }
}

type TokenClient = {
  readonly client_id: string
  readonly secret: string | undefined
  readonly post: boolean
}

function tokenRequest(
  { client_id, secret, post }: TokenClient,
  code: string,
  { verifier }: LoginAttempt,
  redirect_uri: string,
): RequestInit {
  const inBody = secret === undefined || post
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    code_verifier: verifier,
    ...(inBody ? { client_id } : {}),
    ...(inBody && secret !== undefined ? { client_secret: secret } : {}),
  })
  // RFC 6749, 2.3.1: both are form-encoded before they are joined.
  const basic = Buffer.from(`${formEncoded(client_id)}:${formEncoded(secret ?? '')}`).toString('base64')
  return {
    method: 'POST',
    body: body.toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(inBody ? {} : { authorization: `Basic ${basic}` }),
    },
  }
}

const formEncoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')

/** The issuer's endpoints; fetched when needed, and not repeatedly from one that does not answer. */
function endpointsOf({ issuer }: OidcIssuer, clock: () => number): () => Promise<Endpoints | undefined> {
  let known: { readonly of: Endpoints | undefined; readonly at: number } | undefined
  let running: Promise<void> | undefined
  const read = async () => {
    const document = await discovered(issuer)
    const authorize = addressIn(issuer, document?.['authorization_endpoint'])
    const token = addressIn(issuer, document?.['token_endpoint'])
    const methods = document?.['token_endpoint_auth_methods_supported']
    const post = Array.isArray(methods) && !methods.includes('client_secret_basic')
    known = {
      of: authorize === undefined || token === undefined ? undefined : { authorize, token, post },
      at: clock(),
    }
  }
  return async () => {
    const age = known === undefined ? Infinity : clock() - known.at
    if (age > (known?.of === undefined ? ASK_AGAIN_MS : FRESH_MS)) {
      running ??= read().finally(() => (running = undefined))
      await running
    }
    return known?.of
  }
}
