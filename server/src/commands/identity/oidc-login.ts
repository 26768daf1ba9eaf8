import type { Caller } from '../../contract/caller.ts'
import type { Result } from '../../contract/problems.ts'
import { callerFromClaims } from '../../core/identity/caller-from-claims.ts'
import type { LoginAttempt, LoginReturn, OidcLogins } from '../ports/keys.ts'

/** Who came back from an issuer. What the configuration does not map to a kind of person is nobody. */
export async function callerFromOidc(
  { oidcLogins }: { readonly oidcLogins: OidcLogins },
  attempt: LoginAttempt,
  back: LoginReturn,
  redirect_uri: string,
): Promise<Result<Caller>> {
  const told = await oidcLogins.finish(attempt, back, redirect_uri)
  return told.ok ? callerFromClaims(told.value.issuer, told.value.claims) : told
}
