import { registerClient, type AuthorizationServerMetadata, type FetchLike } from '@modelcontextprotocol/client'
import type { LoginStore, StoredClient } from './server-login.ts'
import type { HttpServer } from '../../adapters/upstream/server-kind.ts'
import type { Discovered } from './discover-login.ts'

export type ClientPorts = {
  readonly server: HttpServer
  readonly store: LoginStore
  readonly fetch: FetchLike
}

/**
 * The client identity of the gate: a client the operator registered, one that was registered before, or one registered now. A
 * sentence if there is none.
 */
export async function clientFor(
  { server, store, fetch }: ClientPorts,
  { issuer, metadata, all_scopes }: Discovered,
  redirect_uri: string,
): Promise<StoredClient['client'] | string> {
  const { client_id, client_secret } = server.login ?? {}
  if (client_id !== undefined) return { client_id, ...(client_secret === undefined ? {} : { client_secret }) }
  const kept = store.readClient(server.name)
  if (!kept.ok) return `the registration of the gate cannot be read (${kept.problem.about['why'] ?? ''})`
  // A client belongs to one authorization server and one redirect URL, and is used nowhere else.
  if (kept.value?.issuer === issuer && kept.value.redirect_uri === redirect_uri) return kept.value.client
  if (metadata.registration_endpoint === undefined)
    return `its authorization server does not support dynamic client registration: register a client by hand with the redirect address \`${redirect_uri}\` and set \`login.client_id\``
  const method = authMethod(metadata)
  const made = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: 'Sluice',
      redirect_uris: [redirect_uri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      application_type: redirect_uri.startsWith('http:') ? 'native' : 'web',
    },
    ...(all_scopes === undefined ? {} : { scope: all_scopes }),
    fetchFn: fetch,
  })
  const client = {
    client_id: made.client_id,
    ...(made.client_secret === undefined ? {} : { client_secret: made.client_secret }),
    token_endpoint_auth_method: made.token_endpoint_auth_method ?? method,
  }
  const saved = store.writeClient(server.name, { v: 1, issuer, redirect_uri, client })
  return saved.ok ? client : `the registration of the gate could not be saved (${saved.problem.about['why'] ?? ''})`
}

/** A public client if possible: there is no secret to lose. */
function authMethod({ token_endpoint_auth_methods_supported: methods }: AuthorizationServerMetadata): string {
  if (methods === undefined || methods.includes('none')) return 'none'
  return methods.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post'
}
