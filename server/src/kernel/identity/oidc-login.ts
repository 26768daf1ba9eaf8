import type { LoginRow } from './login.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { callerFromClaims } from './caller-from-claims.ts'
import type { LoginPlace, OidcReturn, OidcLogins } from '../ports/keys.ts'
import type { FairSlots, SlotLimits } from './fair-slots.ts'
import { logIn, type LoginPorts } from './logins.ts'

/** Requests to issuers that browsers cause: the slots are for addresses, so one address does not keep others waiting. */
export const ISSUER_SLOTS: SlotLimits = { at_once: 16, per_place: 4, waiting: 512, waiting_per_place: 64 }

/** What a browser brings back from an issuer, from which address, and the login that it has now. */
export type BackFromIssuer = LoginPlace & {
  readonly back: OidcReturn
  readonly address: string
  readonly current: string | undefined
}

/**
 * Logs in somebody who comes back from an issuer. Claims that the configuration does not map to a kind of person are rejected.
 * INVARIANT: the issuer is asked, and a slot is taken, only for a login that this gate began for this browser.
 */
export async function logInWithIssuer(
  deps: LoginPorts & { readonly oidcLogins: OidcLogins },
  slots: FairSlots,
  { back, address, current, ...place }: BackFromIssuer,
): Promise<Result<{ readonly secret: string; readonly login: LoginRow }>> {
  const attempt = await deps.oidcLogins.attemptOf(back.state, place)
  if (attempt === undefined) return refuse('auth.login_unknown')
  const claimed = await slots.run(address, () => deps.oidcLogins.finish(attempt, back, place.redirect_uri))
  if (claimed === 'busy') return refuse('auth.logins_busy', { retry_after_s: '1' })
  if (!claimed.ok) return claimed
  const caller = callerFromClaims(claimed.value.issuer, claimed.value.claims, 'login')
  if (!caller.ok) return caller
  // Used up only by the login itself: before that, nothing is stored for anybody.
  const uses = { kind: 'once', key: `login ${attempt.id}`, until: attempt.expires_at } as const
  return logIn(deps, caller.value, 'oidc', { current, uses })
}

/** The address at the issuer that a browser opens. */
export async function beginIssuerLogin(
  { oidcLogins }: { readonly oidcLogins: OidcLogins },
  issuer: string,
  place: LoginPlace,
): Promise<Result<{ readonly url: string }>> {
  if (!oidcLogins.names.includes(issuer))
    return refuse('auth.login_failed', { why: 'nobody can log in with this issuer' })
  const begun = await oidcLogins.begin(issuer, place)
  return begun.ok ? ok({ url: begun.value.url }) : begun
}
