import type { Caller } from '../../contract/caller.ts'
import type { Result } from '../../contract/problems.ts'
import { callerFromClaims } from '../../core/identity/caller-from-claims.ts'
import type { LoginAttempt, LoginReturn, OidcLogins } from '../ports/keys.ts'

/**
 * The caller for somebody who logged in at an issuer. Claims that the configuration does not map to a kind of person are
 * rejected.
 */
export async function callerFromOidc(
  { oidcLogins }: { readonly oidcLogins: OidcLogins },
  attempt: LoginAttempt,
  back: LoginReturn,
  redirect_uri: string,
): Promise<Result<Caller>> {
  const claimed = await oidcLogins.finish(attempt, back, redirect_uri)
  return claimed.ok ? callerFromClaims(claimed.value.issuer, claimed.value.claims, 'login') : claimed
}
