import type { FetchLike } from '@modelcontextprotocol/client'
import type { StoredLogin } from './server-login.ts'

/** Asks the authorization server to revoke the tokens (RFC 7009). False if it cannot, or does not answer. */
export async function revokeLogin(fetch: FetchLike, login: StoredLogin): Promise<boolean> {
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
