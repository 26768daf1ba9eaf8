import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client'
import type { HttpServer } from '../../adapters/upstream/server-kind.ts'
import type { AddressRules } from './address-rules.ts'
import { isOwnFault } from './guarded-fetch.ts'
import { joinScopes, type Challenge } from '../../adapters/upstream/login/challenge.ts'

/** Where and for what a person logs in at one tool server. */
export type Discovered = {
  readonly issuer: string
  readonly metadata: AuthorizationServerMetadata
  readonly resource?: string
  readonly scope?: string
  /** Everything the gate may ever request there; a client is registered with it. */
  readonly all_scopes?: string
}

export type DiscoverPorts = {
  readonly server: HttpServer
  readonly rules: AddressRules
  readonly fetch: FetchLike
}

/**
 * Asks the tool server for its authorization server (RFC 9728), and that one for its endpoints (RFC 8414). A sentence if it
 * cannot be used.
 */
export async function discoverLogin(deps: DiscoverPorts, challenge: Challenge): Promise<Discovered | string> {
  const { server, fetch, rules } = deps
  const protectedBy = await resourceMetadata(deps, challenge)
  if (typeof protectedBy === 'string') return protectedBy
  const named = protectedBy?.authorization_servers ?? []
  const pinned = server.login?.issuer
  if (pinned !== undefined && named.length > 0 && !named.some((each) => isSameIssuer(each, pinned)))
    return 'the server names a different authorization server than `login.issuer`'
  // Servers of the first OAuth revision of MCP are their own authorization server.
  const issuer = pinned ?? named[0] ?? new URL('../../../../../../../../', server.url).href
  if (!URL.canParse(issuer)) return 'the server names an authorization server that is not a valid address'
  const wrong = rules.faultOf(new URL(issuer))
  if (wrong !== undefined) return `its authorization server cannot be used: ${wrong}`
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
  if (metadata === undefined) return `\`${new URL(issuer).host}\` does not say how to log in (no OAuth metadata)`
  const fault = faultOf(metadata, rules)
  if (fault !== undefined) return fault
  const scope = scopeOf(server, challenge, protectedBy, metadata)
  const all_scopes = joinScopes(scope, protectedBy?.scopes_supported?.join(' '))
  return {
    issuer: metadata.issuer,
    metadata,
    ...(protectedBy === undefined ? {} : { resource: protectedBy.resource }),
    ...(scope === undefined ? {} : { scope }),
    ...(all_scopes === undefined ? {} : { all_scopes }),
  }
}

async function resourceMetadata(
  { server, fetch }: DiscoverPorts,
  { resource_metadata }: Challenge,
): Promise<OAuthProtectedResourceMetadata | undefined | string> {
  const url = resourceUrlFromServerUrl(server.url)
  const metadataUrl =
    resource_metadata !== undefined && URL.canParse(resource_metadata) ? new URL(resource_metadata) : undefined
  // The server chose this URL, so it is used only if it is on the server itself.
  const at = metadataUrl?.origin === url.origin ? { resourceMetadataUrl: metadataUrl } : {}
  try {
    const metadata = await discoverOAuthProtectedResourceMetadata(url, at, fetch)
    const isIts = checkResourceAllowed({ requestedResource: url, configuredResource: metadata.resource })
    return isIts ? metadata : 'the server describes the login of another server'
  } catch (error) {
    if (isOwnFault(error)) throw error
    return undefined
  }
}

const isSameIssuer = (one: string, other: string) => one.replace(/\/$/, '') === other.replace(/\/$/, '')

/** Why an authorization server cannot be used. */
function faultOf(metadata: AuthorizationServerMetadata, rules: AddressRules): string | undefined {
  const methods = metadata.code_challenge_methods_supported
  if (methods?.includes('S256') !== true) return 'its authorization server does not support PKCE with S256'
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata
  const endpoints = [authorization_endpoint, token_endpoint, registration_endpoint, revocationOf(metadata)]
  for (const endpoint of endpoints) {
    if (endpoint === undefined) continue
    if (!URL.canParse(endpoint)) return 'its authorization server has an endpoint that is not a valid address'
    const wrong = rules.faultOf(new URL(endpoint))
    if (wrong !== undefined) return `an endpoint of its authorization server cannot be used: ${wrong}`
  }
  return undefined
}

export function revocationOf(metadata: AuthorizationServerMetadata): string | undefined {
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  return typeof endpoint === 'string' ? endpoint : undefined
}

/**
 * The scope set by the operator, otherwise the one the server asked for, otherwise the one it declares; plus the one to stay
 * logged in.
 */
function scopeOf(
  server: HttpServer,
  challenge: Challenge,
  protectedBy: OAuthProtectedResourceMetadata | undefined,
  metadata: AuthorizationServerMetadata,
): string | undefined {
  const scope = server.login?.scope ?? challenge.scope ?? protectedBy?.scopes_supported?.join(' ')
  if (scope === undefined || scope === '') return undefined
  const words = scope.split(' ')
  const may_stay = metadata.scopes_supported?.includes('offline_access') === true
  return may_stay && !words.includes('offline_access') ? `${scope} offline_access` : scope
}
