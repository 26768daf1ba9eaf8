import type { OidcLogins } from '../../kernel/ports/keys.ts'
import type { OidcIssuer } from '../../kernel/contract/auth-settings.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { DerivedKeys } from './key-folder.ts'
import type { LoginIssuer } from './oidc-logins.ts'

/** The issuers that people can log in with. The library for tokens is loaded by the first login. */
export function openOidcLogins(
  configured: readonly OidcIssuer[],
  secretOf: (reference: string) => string | undefined,
  derived: DerivedKeys,
  clock: () => number,
): Result<OidcLogins> {
  const offered: LoginIssuer[] = []
  for (const [index, issuer] of configured.entries()) {
    const { login } = issuer
    if (login === undefined) continue
    const secret = login.client_secret === undefined ? undefined : secretOf(login.client_secret)
    if (login.client_secret !== undefined && (secret === undefined || secret === ''))
      return refuse('config.invalid', { paths: `auth.oidc.${index}.login.client_secret: the secret is missing` })
    offered.push({ issuer, secret })
  }
  let opened: Promise<OidcLogins> | undefined
  const logins = () =>
    (opened ??= import('./oidc-logins.ts').then(({ oidcLogins }) => oidcLogins(offered, derived, clock)))
  return ok({
    names: offered.map(({ issuer }) => issuer.name),
    begin: async (name, place) => (await logins()).begin(name, place),
    attemptOf: async (state, place) => (await logins()).attemptOf(state, place),
    finish: async (attempt, back, redirect_uri) => (await logins()).finish(attempt, back, redirect_uri),
  })
}
