import { decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose'
import type { Issuers } from '../../kernel/ports/keys.ts'
import { TOKEN_TOLERANCE_S, type OidcIssuer } from '../../kernel/contract/auth-settings.ts'
import { ok, refuse, type ProblemCode, type Result } from '../../kernel/contract/problems.ts'
import { issuerKeys } from './issuer-keys.ts'
import { tokenFault, type TokenKind } from './token-kind.ts'

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
function codeOf(error: unknown): ProblemCode {
  if (error instanceof errors.JWTExpired) return 'auth.expired'
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'auth.invalid'
  if (error.claim === 'aud') return 'auth.wrong_audience'
  return error.claim === 'nbf' ? 'auth.not_yet_valid' : 'auth.invalid'
}
