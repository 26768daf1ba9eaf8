import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client'
import type { StoredLogin } from './server-login.ts'

/** A token is refreshed this long before its end, or a tenth of its lifetime before if that is shorter. */
const EARLY_MS = 60_000
/** Longer than any server means; an unlimited number would not be a valid time. */
const LONGEST_S = 10 * 365 * 86_400

const isTokenText = (text: string) => /^[\x21-\x7e]{1,65536}$/.test(text)

type Tokens = Pick<StoredLogin, 'access_token' | 'refresh_token' | 'expires_at' | 'renew_at' | 'scope'>

/** What a token endpoint granted, or a sentence if it cannot be used. */
export function tokensOf(granted: OAuthTokens, asked_scope: string | undefined, now: number): Tokens | string {
  const { access_token, refresh_token, token_type, expires_in, scope = asked_scope } = granted
  if (token_type.toLowerCase() !== 'bearer') return 'its tokens are not bearer tokens'
  if (!isTokenText(access_token) || (refresh_token !== undefined && !isTokenText(refresh_token)))
    return 'its tokens contain invalid characters'
  const life = expires_in === undefined || !(expires_in >= 0) ? undefined : Math.min(expires_in, LONGEST_S) * 1_000
  return {
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(life === undefined ? {} : { expires_at: now + life, renew_at: now + life - Math.min(EARLY_MS, life / 10) }),
    ...(scope === undefined ? {} : { scope }),
  }
}

/** The part of the metadata that a refresh needs, as it was when the person logged in. */
export const metadataOf = (login: StoredLogin): AuthorizationServerMetadata => ({
  issuer: login.issuer,
  authorization_endpoint: login.token_endpoint,
  token_endpoint: login.token_endpoint,
  response_types_supported: ['code'],
  ...(login.auth_methods === undefined ? {} : { token_endpoint_auth_methods_supported: login.auth_methods }),
})
