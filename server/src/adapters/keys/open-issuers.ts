import type { Issuers } from '../../kernel/ports/keys.ts'
import type { OidcIssuer } from '../../kernel/contract/auth-settings.ts'

/** The configured OIDC issuers. The library for tokens is loaded with the first token: most gates never see one. */
export function openIssuers(configured: readonly OidcIssuer[], clock: () => number): Issuers {
  let opened: Promise<Issuers> | undefined
  return {
    async claimsOf(token) {
      opened ??= import('./oidc.ts').then(({ oidcIssuers }) => oidcIssuers(configured, clock))
      return (await opened).claimsOf(token)
    },
  }
}
