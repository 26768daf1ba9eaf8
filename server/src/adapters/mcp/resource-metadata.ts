import type { JsonObject } from '../../kernel/contract/json.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Where a client finds the issuers of tokens for `/mcp` (RFC 9728). Also without the path, for clients that look only there. */
export const METADATA_PATHS: readonly string[] = [WELL_KNOWN, `${WELL_KNOWN}/mcp`]

export const isMetadataPath = (path: string): boolean => METADATA_PATHS.includes(path)

/** The address of `/mcp` as the client knows it: as configured, otherwise from the request's host name. */
export function resourceUrl(configured: string | undefined, host: string | undefined): string {
  return configured ?? `http://${host ?? 'localhost'}/mcp`
}

export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`
}

export function resourceMetadata(resource: string, authorization_servers: readonly string[]): JsonObject {
  return { resource, authorization_servers, bearer_methods_supported: ['header'], resource_name: 'Sluice' }
}
