import type { AuditEvent } from '../contract/audit-events.ts'
import type { Caller } from '../contract/caller.ts'
import {
  PASSKEY_LIMITS,
  type PasskeyAnswer,
  type PasskeyAssertion,
  type PasskeyBody,
  type PasskeyOptions,
  type PasskeyRow,
} from './passkey.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { visibleText } from '../contract/visible-text.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'
import type { ChallengeClaims, Passkeys, Site } from '../ports/keys.ts'
import type { Change } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import { provePassphrase, type PassphrasePorts } from './passphrase.ts'

export type PasskeyPorts = PassphrasePorts & { readonly passkeys: Passkeys }
export type ShownPasskey = { readonly assertion: PasskeyAssertion; readonly site: Site }

const registering = (user: string): ChallengeClaims => ['register', user]
const proving = (user: string): ChallengeClaims => ['prove', user]
/** What an approval with a passkey is bound to: one person, one request, and the packet that they were shown. */
const approving = (user: string, approval_id: string, digest: string): ChallengeClaims => [
  'approve',
  user,
  approval_id,
  digest,
]

/** What activating a policy is bound to: one person, one text, and the version it replaces. */
const putting = (user: string, digest: string): ChallengeClaims => ['policy', user, digest]

/** What any other grant is bound to: one person, and the digest of the request that grants. */
const granting = (user: string, digest: string): ChallengeClaims => ['grant', user, digest]

/** What a passkey confirms: an approval, a policy, or the request that `grant` is the digest of. */
export type PasskeyAbout =
  { readonly approval_id: string; readonly digest: string } | { readonly policy: string } | { readonly grant: string }

async function livePasskeys(tables: Tables, user: string): Promise<readonly Stored<'passkeys'>[]> {
  const listed = await tables.list('passkeys', { user }, { limit: 100 })
  return listed.filter(({ row }) => row.revoked_at === undefined)
}

export async function listPasskeys({ tables }: PasskeyPorts, by: Caller): Promise<readonly PasskeyAnswer[]> {
  return (await livePasskeys(tables, by.user)).map(({ row }) => shownPasskey(row))
}

export const shownPasskey = ({ passkey_id, name, created_at, used_at }: PasskeyRow): PasskeyAnswer => ({
  passkey_id,
  name: visibleText(name),
  created_at,
  ...(used_at === undefined ? {} : { used_at }),
})

/** For `navigator.credentials.create`. */
export async function passkeyCreation(deps: PasskeyPorts, by: Caller, site: Site): Promise<Result<PasskeyOptions>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const known = (await livePasskeys(deps.tables, by.user)).map(({ row }) => row)
  const challenge = deps.passkeys.challenge(registering(by.user), deps.clock())
  return ok(await deps.passkeys.creationOptions({ user: by.user, site, challenge, known }))
}

/** For `navigator.credentials.get`: to add another passkey, or, with a request and its digest, to approve. */
export async function passkeyRequest(
  deps: PasskeyPorts,
  by: Caller,
  site: Site,
  about?: PasskeyAbout,
): Promise<Result<PasskeyOptions>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const known = (await livePasskeys(deps.tables, by.user)).map(({ row }) => row)
  if (known.length === 0) return refuse('passkey.none')
  const challenge = deps.passkeys.challenge(claimsAbout(by.user, about), deps.clock())
  return ok(await deps.passkeys.requestOptions({ site, challenge, known }))
}

function claimsAbout(user: string, about: PasskeyAbout | undefined): ChallengeClaims {
  if (about === undefined) return proving(user)
  if ('grant' in about) return granting(user, about.grant)
  return 'policy' in about ? putting(user, about.policy) : approving(user, about.approval_id, about.digest)
}

/** Adds a passkey for the caller. Somebody who already has a proof must use it: a stolen key alone adds none. */
export async function addPasskey(
  deps: PasskeyPorts,
  by: Caller,
  wanted: PasskeyBody,
  site: Site,
): Promise<Result<PasskeyAnswer>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const live = await livePasskeys(deps.tables, by.user)
  if (live.length >= PASSKEY_LIMITS.per_user)
    return refuse('passkey.too_many', { limit: String(PASSKEY_LIMITS.per_user) })
  const proven = await proofOf(deps, by, wanted, site, live)
  if (!proven.ok) return proven
  const now = deps.clock()
  const made = await deps.passkeys.registered(wanted.response, site)
  const nonce = made && deps.passkeys.spendable(made.challenge, registering(by.user), now)
  if (made === undefined || nonce === undefined) return refuse('passkey.not_genuine')
  const row: PasskeyRow = {
    v: 1,
    passkey_id: made.passkey_id,
    user: by.user,
    public_key: made.public_key,
    counter: made.counter,
    transports: wanted.response.response.transports ?? [],
    name: wanted.name,
    created_at: now,
  }
  const recorded = await deps.ledger.commit([
    spent(nonce, now),
    ...proven.value,
    { kind: 'swap', table: 'passkeys', id: row.passkey_id, from: 'absent', to: row },
    passkeyAudit(deps, 'passkey.added', by, row),
  ])
  if (recorded === 'committed') return ok(shownPasskey(row))
  return typeof recorded === 'object' && 'lost' in recorded ? refuse('request.replayed') : refuseUnrecorded(recorded)
}

async function proofOf(
  deps: PasskeyPorts,
  by: Caller,
  { passphrase, passkey }: PasskeyBody,
  site: Site,
  live: readonly Stored<'passkeys'>[],
): Promise<Result<readonly Change[]>> {
  if (passkey !== undefined) return provePasskey(deps, by, { assertion: passkey, site }, proving(by.user))
  const sealed = (await deps.tables.row('passphrases', by.user))?.row.sealed
  // The first proof of a person who has none is added with their key alone, like a passphrase.
  if (sealed === undefined && live.length === 0) return ok([])
  const proven = await provePassphrase(deps, by, passphrase)
  return proven.ok ? ok([]) : proven
}

/** Whether the caller's passkey answers the challenge for this. Returns the changes to commit with what it confirms, once. */
export const provePasskeyFor = (
  deps: PasskeyPorts,
  by: Caller,
  passkey: ShownPasskey,
  about: PasskeyAbout,
): Promise<Result<readonly Change[]>> => provePasskey(deps, by, passkey, claimsAbout(by.user, about))

/** INVARIANT: an assertion is valid once, for the owner of the passkey, for exactly what was challenged. */
async function provePasskey(
  deps: PasskeyPorts,
  by: Caller,
  { assertion, site }: ShownPasskey,
  claims: ChallengeClaims,
): Promise<Result<readonly Change[]>> {
  const now = deps.clock()
  const held = await deps.tables.row('passkeys', assertion.id)
  if (held === undefined || held.row.user !== by.user || held.row.revoked_at !== undefined)
    return refuse('passkey.not_genuine')
  const asserted = await deps.passkeys.asserted(assertion, site, held.row)
  const nonce = asserted && deps.passkeys.spendable(asserted.challenge, claims, now)
  if (asserted === undefined || nonce === undefined) return refuse('passkey.not_genuine')
  const to: PasskeyRow = { ...held.row, counter: asserted.counter, used_at: now }
  return ok([spent(nonce, now), { kind: 'swap', table: 'passkeys', id: to.passkey_id, from: held.version, to }])
}

const spent = (nonce: string, now: number): Change => ({
  kind: 'once',
  key: `passkey ${nonce}`,
  until: now + 2 * PASSKEY_LIMITS.challenge_ms,
})

export function passkeyAudit(
  { clock, ids }: PasskeyPorts,
  type: AuditEvent,
  by: Caller,
  { user, passkey_id }: PasskeyRow,
): Change {
  const subject = { user, passkey: passkey_id.slice(0, 16) }
  return { kind: 'audit', entry: { at: clock(), type, actor: by.id, trace: ids.trace(), subject } }
}
