import type { PasskeyAssertion, PasskeyOptions, PasskeyRegistration, PasskeyRow } from '../identity/passkey.ts'
import type { OidcIssuer } from '../contract/auth-settings.ts'
import type { ApprovalId, Sha256 } from '../contract/ids.ts'
import type { SealedPassphrase } from '../contract/passphrase.ts'
import type { Result } from '../contract/problems.ts'

/** Signs and checks `id.seconds.body`, as Standard Webhooks does. */
export interface WebhookKey {
  sign(id: string, seconds: number, body: string): string
  /** Whether one of the signatures in the header matches. */
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
  /** The digest of the packet that was shown when the token was minted. */
  readonly packet_digest: string
}

export interface TokenKeys {
  /** `v1.<unix seconds>.<nonce>.<mac>`, made with the active key. */
  mint(claims: TokenClaims, now: number): string
  /** Whether the MAC of a well-formed token matches these claims under the active or the previous key. */
  isGenuine(
    token: { readonly seconds: number; readonly nonce: string; readonly mac: string },
    claims: TokenClaims,
  ): boolean
}

export interface Passphrases {
  seal(passphrase: string): Promise<SealedPassphrase>
  /** Compares in constant time. */
  fits(sealed: SealedPassphrase, passphrase: string): Promise<boolean>
}

/** External identity providers. */
export interface Issuers {
  /** The claims of a token that is genuine, intended for us and currently valid, and the settings of its issuer. */
  claimsOf(
    token: string,
  ): Promise<Result<{ readonly issuer: OidcIssuer; readonly claims: Readonly<Record<string, unknown>> }>>
}

/** Where a login is begun and ended: the secret of one browser, and the address at the gate that the issuer redirects to. */
export type LoginPlace = { readonly browser: string; readonly redirect_uri: string }
/** A login that the gate began for one browser. `id` is spent by the login. */
export type LoginAttempt = Readonly<Record<'id' | 'name' | 'nonce' | 'verifier', string>> & {
  readonly expires_at: number
}
/** The parameters with which an issuer sends a browser back. */
export type OidcReturn = Readonly<Partial<Record<'state' | 'code' | 'iss' | 'error', string | undefined>>>

/** Logs people in at the console through an issuer: the authorization code flow of OpenID Connect, with PKCE. */
export interface OidcLogins {
  /** The issuers that are configured for it. */
  readonly names: readonly string[]
  /** The address at the issuer. Its state is signed and nothing is stored, so anybody may begin any number of logins. */
  begin(name: string, place: LoginPlace): Promise<Result<{ readonly url: string }>>
  /** What a state belongs to, at any node; undefined if the gate did not issue it for this place, or too long ago. Asks nobody. */
  attemptOf(state: string | undefined, place: LoginPlace): Promise<LoginAttempt | undefined>
  /** The claims of the ID token that belongs to this attempt. */
  finish(
    attempt: LoginAttempt,
    back: OidcReturn,
    redirect_uri: string,
  ): Promise<Result<{ readonly issuer: OidcIssuer; readonly claims: Readonly<Record<string, unknown>> }>>
}

/** The page that a passkey is used on. */
export type Site = { readonly origin: string; readonly host: string }

/** What a challenge is for. Signed into it, so that an answer to one challenge is not accepted for another. */
export type ChallengeClaims = readonly string[]

export interface Passkeys {
  /** A fresh challenge for these claims, valid for a short time at every node of the store. */
  challenge(claims: ChallengeClaims, now: number): string
  /** A name for the challenge, to be spent once; undefined if it is not ours, not for these claims, or too old. */
  spendable(challenge: string, claims: ChallengeClaims, now: number): string | undefined
  creationOptions(asked: {
    readonly user: string
    readonly site: Site
    readonly challenge: string
    readonly known: readonly PasskeyRow[]
  }): Promise<PasskeyOptions>
  requestOptions(asked: {
    readonly site: Site
    readonly challenge: string
    readonly known: readonly PasskeyRow[]
  }): Promise<PasskeyOptions>
  /** What was registered, and the challenge that was answered; undefined if it is not genuine. */
  registered(
    answer: PasskeyRegistration,
    site: Site,
  ): Promise<(Pick<PasskeyRow, 'passkey_id' | 'public_key' | 'counter'> & { readonly challenge: string }) | undefined>
  /** The new counter and the challenge that was signed; undefined if it is not genuine, or its counter shows a copied key. */
  asserted(
    answer: PasskeyAssertion,
    site: Site,
    passkey: PasskeyRow,
  ): Promise<{ readonly counter: number; readonly challenge: string } | undefined>
}
