import type { Caller, CredentialRow } from '../contract/caller.ts'
import type { KeyGrant } from '../contract/key-grants.ts'
import type { LoginAnswer, LoginRow } from './login.ts'
import type { Result } from '../contract/problems.ts'
import type { Accounts } from '../ports/reads.ts'
import type { PasskeyAnswer, PasskeyBody, PasskeyOptions } from './passkey.ts'
import type { Issuers, LoginPlace, OidcLogins, Site } from '../ports/keys.ts'
import { claimKey } from './claim-key.ts'
import {
  authenticate,
  createCredential,
  isStillAuthentic,
  listCredentials,
  readKeyGrants,
  revokeCredential,
  type CredentialDeps,
  type NewCredential,
  type RevokedCredential,
  type ShownCredential,
} from './credentials.ts'
import { csrfOf, describeLogin, logIn, logOut, readLogin, type LoginDeps, type LoginHere } from './logins.ts'
import {
  addPasskey,
  listPasskeys,
  passkeyCreation,
  passkeyRequest,
  type PasskeyAbout,
  type PasskeyDeps,
} from './passkeys.ts'
import type { ShownProof } from './prove-person.ts'
import { clearPassphrase, removePasskey } from './remove-proof.ts'
import { setPassphrase, type NewPassphrase, type PassphraseDeps } from './passphrase.ts'
import { fairSlots } from './fair-slots.ts'
import { beginIssuerLogin, ISSUER_SLOTS, logInWithIssuer, type BackFromIssuer } from './oidc-login.ts'
import { rotateKeys, type RotateDeps } from './rotate-keys.ts'

export type IdentityDeps = CredentialDeps &
  PassphraseDeps &
  RotateDeps &
  PasskeyDeps &
  LoginDeps & { readonly accounts: Accounts; readonly issuers: Issuers; readonly oidcLogins: OidcLogins }

export interface PasskeysGate {
  list(caller: Caller): Promise<readonly PasskeyAnswer[]>
  creation(caller: Caller, site: Site): Promise<Result<PasskeyOptions>>
  /** With what it is about: to confirm that, and nothing else. */
  request(caller: Caller, site: Site, about?: PasskeyAbout): Promise<Result<PasskeyOptions>>
  add(caller: Caller, wanted: PasskeyBody, site: Site): Promise<Result<PasskeyAnswer>>
  remove(caller: Caller, passkey_id: string, proof?: ShownProof): Promise<Result<PasskeyAnswer>>
}

type NewLogin = { readonly secret: string; readonly login: LoginRow }

export interface IdentityGate {
  authenticate(key: string): Promise<Result<Caller>>
  /** Whether a caller that was authenticated by a key is still valid. False if this is not known: then it has to be authenticated again. */
  isStillAuthentic(caller: Caller): boolean
  /** Takes an idempotency key for a request that is not a call. */
  claimKey(caller: Caller, key: string): Promise<Result<'first' | 'taken'>>
  createCredential(
    caller: Caller,
    wanted: NewCredential,
    proof?: ShownProof | 'operator',
  ): Promise<Result<{ key: string; row: CredentialRow }>>
  revokeCredential(caller: Caller, key_id: string, keep_grants?: boolean): Promise<Result<RevokedCredential>>
  keyGrants(caller: Caller, key_id: string): Promise<Result<readonly KeyGrant[]>>
  listCredentials(caller: Caller): Promise<Result<readonly ShownCredential[]>>
  /** The caller's own, for strong approvals. */
  setPassphrase(caller: Caller, wanted: NewPassphrase): Promise<Result<void>>
  clearPassphrase(caller: Caller, user: string, proof?: ShownProof): Promise<Result<void>>
  /** `secret` is for the cookie and is not stored. */
  logIn(caller: Caller, how: LoginRow['how'], here: LoginHere): Promise<Result<NewLogin>>
  /** `passive` reads it without extending it. */
  readLogin(secret: string, passive?: boolean): Promise<Result<LoginRow>>
  isCsrf(secret: string, given: string | undefined): boolean
  describeLogin(caller: Caller, login?: { readonly secret: string; readonly row: LoginRow }): Promise<LoginAnswer>
  logOut(caller: Caller, which: { readonly secret: string } | 'all'): Promise<Result<number>>
  /** Login through an issuer, in a browser. */
  readonly oidc: {
    readonly names: readonly string[]
    begin(issuer: string, place: LoginPlace): Promise<Result<{ readonly url: string }>>
    logIn(back: BackFromIssuer): Promise<Result<NewLogin>>
  }
  /** The caller's own, for strong approvals in a browser. */
  readonly passkeys: PasskeysGate
  rotateKeys(caller: Caller, which: 'token' | 'checkpoint'): Promise<Result<void>>
}

export function bindIdentity(deps: IdentityDeps): IdentityGate {
  const slots = fairSlots(ISSUER_SLOTS)
  return {
    authenticate: (key) => authenticate(deps, key),
    isStillAuthentic: (caller) => isStillAuthentic(deps, caller),
    claimKey: (caller, key) => claimKey(deps, caller, key),
    createCredential: (caller, wanted, proof = {}) => createCredential(deps, caller, wanted, proof),
    revokeCredential: (caller, id, keep_grants) => revokeCredential(deps, caller, id, keep_grants),
    keyGrants: (caller, id) => readKeyGrants(deps, caller, id),
    listCredentials: (caller) => listCredentials(deps, caller),
    setPassphrase: (caller, wanted) => setPassphrase(deps, caller, wanted),
    clearPassphrase: (caller, user, proof = {}) => clearPassphrase(deps, caller, user, proof),
    logIn: (caller, how, here) => logIn(deps, caller, how, here),
    readLogin: (secret, passive) => readLogin(deps, secret, passive),
    // Digests are compared, so that the timing reveals nothing about the token.
    isCsrf: (secret, given = '') => deps.digest(csrfOf(deps.digest, secret)) === deps.digest(given),
    describeLogin: (caller, login) => describeLogin(deps, caller, login),
    logOut: (caller, which) => logOut(deps, caller, which),
    oidc: {
      names: deps.oidcLogins.names,
      begin: (issuer, place) => beginIssuerLogin(deps, issuer, place),
      logIn: (back) => logInWithIssuer(deps, slots, back),
    },
    passkeys: {
      list: (caller) => listPasskeys(deps, caller),
      creation: (caller, site) => passkeyCreation(deps, caller, site),
      request: (caller, site, about) => passkeyRequest(deps, caller, site, about),
      add: (caller, wanted, site) => addPasskey(deps, caller, wanted, site),
      remove: (caller, id, proof = {}) => removePasskey(deps, caller, id, proof),
    },
    rotateKeys: (caller, which) => rotateKeys(deps, caller, which),
  }
}
