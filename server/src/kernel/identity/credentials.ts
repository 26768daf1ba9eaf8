import { isSameName } from '../contract/folded-name.ts'
import { everyRow } from '../changes/every-row.ts'
import type { AuditEvent } from '../contract/audit-events.ts'
import { TOKEN_TOLERANCE_S } from '../contract/auth-settings.ts'
import type { Caller, CallerKind, CredentialRow, Grant, FlowRole, KeyGrant } from '../contract/caller.ts'
import type { KeyId } from '../contract/ids.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { Surface } from '../contract/caller.ts'
import { callerFromClaims } from './caller-from-claims.ts'
import { callsLeft, grantAccount } from './facts/grant-calls.ts'
import type { PasskeyPorts } from './passkeys.ts'
import { isLostToProof, provePerson, UNPROVEN, type ShownProof } from './prove-person.ts'
import type { Issuers } from '../ports/keys.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Accounts, Tables } from '../ports/reads.ts'
import type { Clock, Digest, Ids } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import { credentialState } from './credential-state.ts'
import { keyGrants, type KeyGrantPorts } from './key-grants.ts'

export type CredentialPorts = {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Ids
  /** A fresh random key for this kind of caller. */
  readonly newKey: (kind: CallerKind) => string
}

/** For all that is done with keys. */
export type KeyRing = CredentialPorts & KeyGrantPorts & PasskeyPorts & { readonly accounts: Accounts }

/** Three parts separated by dots: our keys contain no dot. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/

/**
 * Whose credential this is: one of our keys, or an issuer's token. Unknown, expired and revoked keys look the same from outside.
 */
export async function authenticate(
  deps: Pick<CredentialPorts, 'tables' | 'digest' | 'clock'> & { readonly issuers: Issuers },
  key: string,
): Promise<Result<Caller>> {
  if (JWT.test(key)) {
    const claimed = await deps.issuers.claimsOf(key)
    return claimed.ok
      ? withExpiry(callerFromClaims(claimed.value.issuer, claimed.value.claims, 'access'), claimed.value.claims)
      : claimed
  }
  const [held] = await deps.tables.list('credentials', { key_hash: deps.digest(key) }, { limit: 1 })
  const now = deps.clock()
  if (held === undefined || credentialState(held.row, now) !== 'active') return refuse('auth.invalid')
  const { caller, key_id, expires_at } = held.row
  const known = { ...caller, credential: { key: key_id, ...(expires_at === undefined ? {} : { expires_at }) } }
  readFrom.set(known, held.version)
  return ok(known)
}

/** Callers that were authenticated by a key, and the version of the row that said so. */
const readFrom = new WeakMap<Caller, number>()

/**
 * Whether a caller that was authenticated by a key before would get the same result now, as far as that is known without reading the store.
 * False means unknown: then it has to be authenticated again. A commit that changes keys drops what is known about them before it returns,
 * so a revoked key is detected at once; the expiry is compared with the clock every time.
 */
export function isStillAuthentic(
  { tables, clock }: Pick<CredentialPorts, 'tables' | 'clock'>,
  caller: Caller,
): boolean {
  const key = caller.credential?.key
  const held = key === undefined ? undefined : tables.known_rows?.row('credentials', key)?.held
  return held !== undefined && held.version === readFrom.get(caller) && credentialState(held.row, clock()) === 'active'
}

/** A token is valid until its own `exp`, plus the allowed clock difference. */
function withExpiry(caller: Result<Caller>, { exp }: Readonly<Record<string, unknown>>): Result<Caller> {
  if (!caller.ok || typeof exp !== 'number') return caller
  return ok({ ...caller.value, credential: { expires_at: (exp + TOKEN_TOLERANCE_S) * 1000 } })
}

export type NewCredential = {
  readonly kind: CallerKind
  readonly name: string
  readonly user?: string | undefined
  readonly ttl_s?: number | undefined
  /** The limits of the key, as globs over tool ids and a number of calls. */
  readonly tools?: readonly string[] | undefined
  readonly calls?: number | undefined
  /** What its MCP clients are shown. */
  readonly surface?: Surface | undefined
  readonly flow_role?: FlowRole | undefined
  readonly vault?: string | undefined
  readonly speaks_for_user?: true | undefined
}

/** Whoever has such a key can let calls run: by deciding, by redeeming a token, or by reporting what the user said. */
const mayLetRun = ({ kind, speaks_for_user }: NewCredential): boolean =>
  (kind !== 'agent' && kind !== 'node') || speaks_for_user === true

/**
 * Creates a key. It is returned once and stored only as a digest. An admin who creates one that can let calls run proves that it
 * is them: otherwise a stolen admin key could make itself a person who has no passphrase yet. `operator`: the gate's own process
 * does it when the operator starts or resets the gate, and no request ever does.
 */
export async function createCredential(
  deps: CredentialPorts & PasskeyPorts,
  by: Caller,
  wanted: NewCredential,
  shown: ShownProof | 'operator',
): Promise<Result<{ key: string; row: CredentialRow }>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const isFree = shown === 'operator' || !mayLetRun(wanted)
  const proven = isFree ? ok(UNPROVEN) : await provePerson(deps, by, shown)
  if (!proven.ok) return proven
  const user = wanted.user ?? wanted.name
  const other = await otherSpelling(deps, user)
  if (other !== undefined) return refuse('key.other_spelling', { user: other })
  const key = deps.newKey(wanted.kind)
  const key_id = deps.ids.key()
  const now = deps.clock()
  const row: CredentialRow = {
    v: 1,
    key_id,
    key_hash: deps.digest(key),
    caller: {
      kind: wanted.kind,
      id: `${wanted.kind}:${wanted.name}`,
      user,
      ...grantOf(key_id, wanted),
      ...(wanted.surface === undefined ? {} : { surface: wanted.surface }),
      ...(wanted.flow_role === undefined ? {} : { flow_role: wanted.flow_role }),
      ...(wanted.vault === undefined ? {} : { vault: wanted.vault }),
      ...(wanted.speaks_for_user === true ? { speaks_for_user: true } : {}),
    },
    created_at: now,
    ...(by.credential?.key === undefined ? {} : { created_with: by.credential.key }),
    ...(wanted.ttl_s === undefined ? {} : { expires_at: now + wanted.ttl_s * 1000 }),
  }
  const changes: Change[] = [
    ...proven.value.changes,
    { kind: 'swap', table: 'credentials', id: row.key_id, from: 'absent', to: row },
    ...openGrant(row),
    auditOfKey(deps, 'key.created', by, row),
  ]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok({ key, row })
  return isLostToProof(proven.value, changes, recorded) ? refuse('request.replayed') : refuseUnrecorded(recorded)
}

/** A user of a valid key whose name differs only in letter case or encoding. */
async function otherSpelling({ tables, clock }: CredentialPorts, user: string): Promise<string | undefined> {
  for await (const { row } of everyRow(tables, 'credentials')) {
    const { user: other } = row.caller
    if (other !== user && isSameName(other, user) && credentialState(row, clock()) === 'active') return other
  }
  return undefined
}

function grantOf(key: KeyId, { tools, calls }: NewCredential): { readonly grant?: Grant } {
  if (tools === undefined && calls === undefined) return {}
  return {
    grant: { key, ...(tools === undefined ? {} : { tools: [...tools] }), ...(calls === undefined ? {} : { calls }) },
  }
}

/** The units exist as long as the key does. */
function openGrant({ caller: { grant }, expires_at }: CredentialRow): Change[] {
  if (grant?.calls === undefined) return []
  const until = expires_at === undefined ? {} : { until: expires_at }
  return [{ kind: 'open', account: grantAccount(grant), units: grant.calls, ...until }]
}

/** A revoked key, and what went back to it. */
export type RevokedCredential = CredentialRow & { readonly grants: readonly KeyGrant[] }

/**
 * Revokes a key, and with it what it granted; with `keep_grants` only the key. Revoking it again without `keep_grants` ends what was kept.
 */
export async function revokeCredential(
  deps: CredentialPorts & KeyGrantPorts,
  by: Caller,
  key_id: string,
  keep_grants = false,
): Promise<Result<RevokedCredential>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await deps.tables.row('credentials', key_id)
  if (held === undefined) return refuse('key.unknown', { key_id })
  const { grants_kept, ...before } = held.row
  if (before.revoked_at !== undefined && (grants_kept !== true || keep_grants))
    return ok({ ...held.row, grants: await keyGrants(deps, held.row, grants_kept === true) })
  const row: CredentialRow = {
    ...before,
    revoked_at: before.revoked_at ?? deps.clock(),
    ...(keep_grants ? { grants_kept: true } : {}),
  }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'credentials', id: key_id, from: held.version, to: row },
    auditOfKey(deps, 'key.revoked', by, row),
  ])
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (recorded !== 'committed') return revokeCredential(deps, by, key_id, keep_grants)
  // Read afterwards, so that what was granted a moment before is among them.
  return ok({ ...row, grants: await keyGrants(deps, row, keep_grants) })
}

/** What would end with a key, and what would stay. */
export async function readKeyGrants(
  deps: CredentialPorts & KeyGrantPorts,
  by: Caller,
  key_id: string,
): Promise<Result<readonly KeyGrant[]>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await deps.tables.row('credentials', key_id)
  return held === undefined
    ? refuse('key.unknown', { key_id })
    : ok(await keyGrants(deps, held.row, held.row.grants_kept === true))
}

/** A key as an admin sees it: without its digest, with what is left of its grant. */
export type ShownCredential = Omit<CredentialRow, 'key_hash'> & {
  readonly state: 'active' | 'expired' | 'revoked'
  readonly calls_left?: number
}

export async function listCredentials(
  deps: Pick<CredentialPorts, 'tables' | 'clock'> & { readonly accounts: Accounts },
  by: Caller,
): Promise<Result<readonly ShownCredential[]>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await deps.tables.list('credentials', {}, { limit: 1000 })
  const now = deps.clock()
  return ok(
    await Promise.all(
      held.map(async ({ row: { key_hash: _, ...shown } }) => {
        const left = await callsLeft(deps.accounts, shown.caller)
        return { ...shown, state: credentialState(shown, now), ...(left === undefined ? {} : { calls_left: left }) }
      }),
    ),
  )
}

function auditOfKey(deps: CredentialPorts, type: AuditEvent, by: Caller, row: CredentialRow): Change {
  const { grant, id } = row.caller
  const limits = {
    ...(grant?.tools === undefined ? {} : { tools: grant.tools }),
    ...(grant?.calls === undefined ? {} : { calls: grant.calls }),
    ...(row.expires_at === undefined ? {} : { expires_at: row.expires_at }),
    ...(row.grants_kept === undefined ? {} : { grants: 'kept' }),
  }
  const entry = {
    at: deps.clock(),
    type,
    actor: by.id,
    trace: deps.ids.trace(),
    subject: { key: row.key_id, caller: id },
  }
  return { kind: 'audit', entry: Object.keys(limits).length === 0 ? entry : { ...entry, about: limits } }
}
