import type { Caller, CallerKind, CredentialRow } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { Change, Clock, Digest, Ids, Ledger, Shelves } from './ports.ts'

export type CredentialDeps = {
  readonly shelves: Shelves
  readonly ledger: Ledger
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Ids
  /** A fresh random key for this kind of caller. */
  readonly newKey: (kind: CallerKind) => string
}

/** Who a key belongs to. Unknown, expired and revoked keys look the same from outside. */
export async function authenticate(
  deps: Pick<CredentialDeps, 'shelves' | 'digest' | 'clock'>,
  key: string,
): Promise<Result<Caller>> {
  const [held] = await deps.shelves.list('credentials', { key_hash: deps.digest(key) }, { limit: 1 })
  const now = deps.clock()
  const isGood = held !== undefined && held.row.revoked_at === undefined && (held.row.expires_at ?? Infinity) > now
  return isGood ? ok(held.row.caller) : refuse('auth.invalid')
}

export type NewCredential = {
  readonly kind: CallerKind
  readonly name: string
  readonly user?: string
  readonly ttl_s?: number
}

/** Creates a key. It is returned once and kept only as a digest. */
export async function createCredential(
  deps: CredentialDeps,
  by: Caller,
  wanted: NewCredential,
): Promise<Result<{ key: string; row: CredentialRow }>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const key = deps.newKey(wanted.kind)
  const now = deps.clock()
  const row: CredentialRow = {
    v: 1,
    key_id: deps.ids.key(),
    key_hash: deps.digest(key),
    caller: { kind: wanted.kind, id: `${wanted.kind}:${wanted.name}`, user: wanted.user ?? wanted.name },
    created_at: now,
    ...(wanted.ttl_s === undefined ? {} : { expires_at: now + wanted.ttl_s * 1000 }),
  }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'credentials', id: row.key_id, from: 'absent', to: row },
    auditOfKey(deps, 'key.created', by, row),
  ])
  return recorded === 'committed' ? ok({ key, row }) : refuse('audit.unavailable')
}

export async function revokeCredential(
  deps: CredentialDeps,
  by: Caller,
  key_id: string,
): Promise<Result<CredentialRow>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await deps.shelves.row('credentials', key_id)
  if (held === undefined) return refuse('key.unknown', { key_id })
  if (held.row.revoked_at !== undefined) return ok(held.row)
  const row: CredentialRow = { ...held.row, revoked_at: deps.clock() }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'credentials', id: key_id, from: held.version, to: row },
    auditOfKey(deps, 'key.revoked', by, row),
  ])
  if (recorded === 'unavailable') return refuse('audit.unavailable')
  return recorded === 'committed' ? ok(row) : revokeCredential(deps, by, key_id)
}

/** The keys without their digests, for an admin to look over. */
export async function listCredentials(
  deps: Pick<CredentialDeps, 'shelves'>,
  by: Caller,
): Promise<Result<readonly Omit<CredentialRow, 'key_hash'>[]>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await deps.shelves.list('credentials', {}, { limit: 1000 })
  return ok(held.map(({ row: { key_hash: _, ...shown } }) => shown))
}

function auditOfKey(deps: CredentialDeps, type: string, by: Caller, row: CredentialRow): Change {
  const subject = { key: row.key_id, caller: row.caller.id }
  return { kind: 'audit', entry: { at: deps.clock(), type, actor: by.id, trace: deps.ids.trace(), subject } }
}
