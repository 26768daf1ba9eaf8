import type { JWTHeaderParameters, JWTPayload } from 'jose'

/** An access token is sent to the gate; an ID token is what a login at the console gets. */
export type TokenKind = 'access' | 'id'

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
export function tokenFault(kind: TokenKind, header: JWTHeaderParameters, claims: JWTPayload): string | undefined {
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
