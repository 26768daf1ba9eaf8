import type { Issuers } from '../commands/ports/keys.ts'
import type { OidcIssuer } from '../contract/auth-settings.ts'

/** The configured OIDC issuers. The library for their tokens is loaded by the first one that is shown: most gates see none. */
export function openIssuers(configured: readonly OidcIssuer[], clock: () => number): Issuers {
  let opened: Promise<Issuers> | undefined
  return {
    async claimsOf(token) {
      opened ??= import('./oidc.ts').then(({ oidcIssuers }) => oidcIssuers(configured, clock))
      return (await opened).claimsOf(token)
    },
  }
}
