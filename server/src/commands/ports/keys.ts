import type { OidcIssuer } from '../../contract/auth-settings.ts'
import type { ApprovalId, Sha256 } from '../../contract/ids.ts'
import type { SealedPassphrase } from '../../contract/passphrase.ts'
import type { Result } from '../../contract/problems.ts'

/** Signs and checks `id.seconds.body`, as Standard Webhooks does. */
export interface WebhookKey {
  sign(id: string, seconds: number, body: string): string
  /** Whether one of the signatures in the header fits. */
  isGenuine(id: string, seconds: number, body: string, header: string): boolean
}

/** What an approval token is bound to; every field is signed. */
export type TokenClaims = {
  readonly approval_id: ApprovalId
  readonly tool_id: string
  readonly definition_hash: Sha256
  readonly args_hash: Sha256
  readonly thread: string
  readonly user: string
  readonly expires_at: number
}

export interface TokenKeys {
  /** `v1.<unix seconds>.<nonce>.<mac>`, made with the active key. */
  mint(claims: TokenClaims, now: number): string
  /** Whether the MAC of a well-formed token fits these claims under the active or the previous key. */
  isGenuine(
    token: { readonly seconds: number; readonly nonce: string; readonly mac: string },
    claims: TokenClaims,
  ): boolean
}

export interface Passphrases {
  seal(passphrase: string): Promise<SealedPassphrase>
  /** Compares in a time that does not depend on what is compared. */
  fits(sealed: SealedPassphrase, passphrase: string): Promise<boolean>
}

/** Whoever else may say who somebody is. */
export interface Issuers {
  /** The claims of a token that is genuine, for us and in its time, and the settings of the issuer that made it. */
  claimsOf(
    token: string,
  ): Promise<Result<{ readonly issuer: OidcIssuer; readonly claims: Readonly<Record<string, unknown>> }>>
}
