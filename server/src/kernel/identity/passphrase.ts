import type { AuditEvent } from '../contract/audit-events.ts'
import type { Caller } from '../contract/caller.ts'
import type { PassphraseRow } from '../contract/passphrase.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import type { Passphrases } from '../ports/keys.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Accounts, Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type PassphrasePorts = {
  readonly tables: Tables
  readonly accounts: Accounts
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
  readonly passphrases: Passphrases
  /** What a strong approval requires of everybody: their role, or a passphrase too. */
  readonly strong: 'role' | 'passphrase'
}

const TRIES = 5
const WINDOW_MS = 900_000
const RACES = 8

/**
 * Checks that this is the person and not only their key. Somebody who has a passphrase must give it, whatever the configuration
 * says; somebody who has none is rejected if the configuration requires one. Returns what must still hold when it is acted on.
 */
export async function provePassphrase(
  deps: PassphrasePorts,
  by: Caller,
  given: string | undefined,
): Promise<Result<{ readonly by: 'role' | 'passphrase'; readonly changes: readonly Change[] }>> {
  const held = await deps.tables.row('passphrases', by.user)
  const sealed = held?.row.sealed
  const isSame: Change = { kind: 'expect', table: 'passphrases', id: by.user, version: held?.version ?? 'absent' }
  if (sealed === undefined) {
    // Somebody who has a passkey must use it: a key alone does not prove the person.
    if (await hasPasskey(deps, by.user)) return refuse('approval.passkey_needed')
    return deps.strong === 'role' ? ok({ by: 'role', changes: [isSame] }) : refuse('approval.passphrase_unset')
  }
  if (given === undefined) return refuse('approval.passphrase_needed')
  const reserved = await reserveTry(deps, by.user)
  if (!reserved.ok) return reserved
  const { account, left } = reserved.value
  if (await deps.passphrases.fits(sealed, given)) {
    const returned = await deps.ledger.commit([{ kind: 'spend', account, units: -1 }])
    return returned === 'committed' ? ok({ by: 'passphrase', changes: [isSame] }) : refuseUnrecorded(returned)
  }
  const wrong = await deps.ledger.commit([passphraseAudit(deps, 'passphrase.wrong', by, by.user)])
  if (wrong !== 'committed') return refuseUnrecorded(wrong)
  return refuse('approval.passphrase_wrong', { tries_left: String(left) })
}

async function hasPasskey({ tables }: PassphrasePorts, user: string): Promise<boolean> {
  const listed = await tables.list('passkeys', { user }, { limit: 100 })
  return listed.some(({ row }) => row.revoked_at === undefined)
}

/** INVARIANT: an attempt is counted before it is made, so that parallel attempts gain nothing. */
async function reserveTry(deps: PassphrasePorts, user: string): Promise<Result<{ account: string; left: number }>> {
  const now = deps.clock()
  const window = Math.floor(now / WINDOW_MS)
  const until = (window + 1) * WINDOW_MS
  const account = `passphrase:${window}:${user}`
  for (let race = 0; race < RACES; race += 1) {
    const left = await deps.accounts.left(account)
    const spend: Change = { kind: 'spend', account, units: 1 }
    const opening: Change[] = left === undefined ? [{ kind: 'open', account, units: TRIES, until }] : []
    const taken = await deps.ledger.commit([...opening, spend])
    if (taken === 'committed') return ok({ account, left: (left ?? TRIES) - 1 })
    if (isUnrecorded(taken)) return refuseUnrecorded(taken)
    if (left === 0) break
  }
  return refuse('approval.passphrase_locked', { retry_after_s: String(Math.ceil((until - now) / 1000)) })
}

export type NewPassphrase = { readonly passphrase: string; readonly current?: string }

/** Anybody who may decide sets their own. A stolen key alone does not replace an existing one. */
export async function setPassphrase(deps: PassphrasePorts, by: Caller, wanted: NewPassphrase): Promise<Result<void>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const held = await deps.tables.row('passphrases', by.user)
  if (held?.row.sealed !== undefined || (await hasPasskey(deps, by.user))) {
    const proven = await provePassphrase(deps, by, wanted.current)
    if (!proven.ok) return proven
  }
  const sealed = await deps.passphrases.seal(wanted.passphrase)
  const row: PassphraseRow = { v: 1, user: by.user, sealed, set_at: deps.clock(), set_by: by.id }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'passphrases', id: by.user, from: held?.version ?? 'absent', to: row },
    passphraseAudit(deps, 'passphrase.set', by, by.user),
  ])
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  return recorded === 'committed' ? ok(undefined) : setPassphrase(deps, by, wanted)
}

export function passphraseAudit({ clock, ids }: PassphrasePorts, type: AuditEvent, by: Caller, user: string): Change {
  return { kind: 'audit', entry: { at: clock(), type, actor: by.id, trace: ids.trace(), subject: { user } } }
}
