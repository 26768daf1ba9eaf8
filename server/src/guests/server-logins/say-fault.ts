import {
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { isOwnFault } from './guarded-fetch.ts'

/** The standard code of an OAuth error. Its description comes from outside and is not repeated. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof OAuthError)) return undefined
  return /^[a-z_]{1,64}$/.test(error.code) ? error.code : 'error'
}

/** What went wrong, in our own words: an authorization server's text may come from an attacker, or contain a secret. */
export function sayFault(error: unknown): string {
  if (isOwnFault(error)) return error.message
  if (error instanceof IssuerMismatchError)
    return error.kind === 'metadata'
      ? 'the authorization server reports a different `issuer`'
      : 'the answer came from a different authorization server (`iss` differs)'
  if (error instanceof RegistrationRejectedError) {
    const code = /"error"\s*:\s*"([a-z_]{1,64})"/.exec(error.body)?.[1]
    return `the authorization server did not register the gate (HTTP ${error.status}${code === undefined ? '' : `, ${code}`})`
  }
  if (error instanceof InsecureTokenEndpointError) return 'its token endpoint is not https'
  const code = errorCodeOf(error)
  if (code !== undefined) return `the authorization server refused (${code})`
  return "the authorization server's answer cannot be read"
}
