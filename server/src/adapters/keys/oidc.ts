import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTHeaderParameters } from 'jose'
import type { Issuers } from '../../kernel/ports/keys.ts'
import { TOKEN_TOLERANCE_S, type OidcIssuer } from '../../kernel/contract/auth-settings.ts'
import { ok, refuse, type KernelProblemCode, type Result } from '../../kernel/contract/problems.ts'
import { issuerKeys } from './issuer-keys.ts'

/** An access token is sent to the gate; an ID token is what a login at the console gets. */
type TokenKind = 'access' | 'id'

/** RFC 9068 has a type of its own. Many issuers write `JWT`, or nothing, in all their tokens. */
const TYPES: Readonly<Record<TokenKind, readonly (string | undefined)[]>> = {
  access: ['at+jwt', 'jwt', undefined],
  id: ['jwt', undefined],
}
/** What some issuers write into the claims instead. */
const SAID: Readonly<Record<TokenKind, { readonly typ: string; readonly token_use: string }>> = {
  access: { typ: 'Bearer', token_use: 'access' },
  id: { typ: 'ID', token_use: 'id' },
}
/** Claims of ID tokens (OpenID Connect Core 2, 3.3.2.11), and of logout tokens and security events (RFC 8417). */
const OF_ID_TOKENS = ['nonce', 'at_hash', 'c_hash', 's_hash']
const OF_EVENTS = ['events', 'toe']

/** Why a token that is genuine is not of this kind; undefined if it is. */
function tokenFault(kind: TokenKind, header: JWTHeaderParameters, claims: JWTPayload): string | undefined {
  const type = header.typ?.toLowerCase().replace(/^application\//, '')
  if (!TYPES[kind].includes(type)) return 'its type is not that of an access token'
  const { typ, token_use } = claims
  const said = SAID[kind]
  if ((typ !== undefined && typ !== said.typ) || (token_use !== undefined && token_use !== said.token_use))
    return 'its claims say that it is another kind of token'
  if (OF_EVENTS.some((name) => claims[name] !== undefined)) return 'it reports an event, such as a logout'
  if (kind === 'id') return undefined
  // Whoever sends such a token has to prove that they hold a key, which is not checked here.
  if (claims['cnf'] !== undefined) return 'it is bound to a key of its client (`cnf`)'
  const isSaid = type === 'at+jwt' || typ !== undefined || token_use !== undefined
  return isSaid || !isIdToken(claims) ? undefined : 'it is an ID token'
}

/** The audience of an ID token is the client that it was made for. */
function isIdToken(claims: JWTPayload): boolean {
  const client = claims['azp'] ?? claims['client_id']
  const audience = Array.isArray(claims.aud) ? claims.aud : [claims.aud]
  return OF_ID_TOKENS.some((name) => claims[name] !== undefined) || audience.some((one) => one === client)
}

/** Only asymmetric signatures: with a shared secret, whoever can verify a token could create one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const LONGEST_TOKEN = 16_384

/**
 * The configured OIDC issuers: verifies a JWT and returns its claims.
 * INVARIANT: only a token that is signed by a key of the issuer it names, for our audience, and currently valid has claims at
 * all.
 */
export function oidcIssuers(configured: readonly OidcIssuer[], clock: () => number): Issuers {
  const known = new Map(configured.map((issuer) => [issuer.issuer, { issuer, keys: issuerKeys(issuer, clock) }]))
  return {
    async claimsOf(token) {
      const named = token.length > LONGEST_TOKEN ? undefined : issuerIn(token)
      const found = named === undefined ? undefined : known.get(named)
      if (found === undefined) return refuse(named === undefined ? 'auth.invalid' : 'auth.unknown_issuer')
      const claims = await verify(token, found, clock, 'access')
      return claims.ok ? ok({ issuer: found.issuer, claims: claims.value }) : claims
    },
  }
}

/** The issuer that a token claims, only to know which keys to try. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** Thrown through jose by the key lookup. */
const UNAVAILABLE = Symbol('the issuer is unavailable')

export async function verify(
  token: string,
  { issuer, keys }: { readonly issuer: OidcIssuer; readonly keys: ReturnType<typeof issuerKeys> },
  clock: () => number,
  kind: TokenKind,
  audience: string = issuer.audience,
): Promise<Result<JWTPayload>> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      async (header) => {
        const key = await keys.keyFor(header)
        if (key === 'unavailable') throw UNAVAILABLE
        if (key === undefined) throw new errors.JWKSNoMatchingKey()
        return key
      },
      {
        issuer: issuer.issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['iss', 'aud', 'exp'],
        clockTolerance: TOKEN_TOLERANCE_S,
        currentDate: new Date(clock()),
      },
    )
    const why = tokenFault(kind, protectedHeader, payload)
    return why === undefined ? ok(payload) : refuse('auth.wrong_token', { why })
  } catch (error) {
    if (error === UNAVAILABLE) return refuse('auth.issuer_unavailable', { issuer: issuer.issuer })
    return refuse(codeOf(error))
  }
}

/** Claims are checked only after the signature, so naming what is wrong with them does not help a forger. */
function codeOf(error: unknown): KernelProblemCode {
  if (error instanceof errors.JWTExpired) return 'auth.expired'
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'auth.invalid'
  if (error.claim === 'aud') return 'auth.wrong_audience'
  return error.claim === 'nbf' ? 'auth.not_yet_valid' : 'auth.invalid'
}
