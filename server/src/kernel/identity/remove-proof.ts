import { isSameName } from '../contract/folded-name.ts'
import type { Caller } from '../contract/caller.ts'
import type { PasskeyAnswer } from './passkey.ts'
import type { PassphraseRow } from '../contract/passphrase.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Change } from '../ports/ledger.ts'
import { passkeyAudit, shownPasskey, type PasskeyPorts } from './passkeys.ts'
import { passphraseAudit } from './passphrase.ts'
import { isLostToProof, provePerson, type ShownProof } from './prove-person.ts'

/** An admin clears somebody else's. Not their own: otherwise a stolen admin key would be enough. */
export async function clearPassphrase(
  deps: PasskeyPorts,
  by: Caller,
  user: string,
  shown: ShownProof,
): Promise<Result<void>> {
  if (by.kind !== 'admin' || isSameName(by.user, user)) return refuse('auth.forbidden', { needs: 'another admin' })
  // Read before the proof is checked: of two requests with one proof, the second loses its commit instead of finding nothing to do.
  const held = await deps.tables.row('passphrases', user)
  const proven = await provePerson(deps, by, shown)
  if (!proven.ok) return proven
  if (held?.row.sealed === undefined) return ok(undefined)
  const row: PassphraseRow = { v: 1, user, set_at: deps.clock(), set_by: by.id }
  const changes: Change[] = [
    ...proven.value.changes,
    { kind: 'swap', table: 'passphrases', id: user, from: held.version, to: row },
    passphraseAudit(deps, 'passphrase.cleared', by, user),
  ]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok(undefined)
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (isLostToProof(proven.value, changes, recorded)) return refuse('request.replayed')
  return clearPassphrase(deps, by, user, shown)
}

/** The same for a passkey. */
export async function removePasskey(
  deps: PasskeyPorts,
  by: Caller,
  passkey_id: string,
  shown: ShownProof,
): Promise<Result<PasskeyAnswer>> {
  const held = await deps.tables.row('passkeys', passkey_id)
  if (by.kind !== 'admin' || (held !== undefined && isSameName(held.row.user, by.user)))
    return refuse('auth.forbidden', { needs: 'another admin' })
  const proven = await provePerson(deps, by, shown)
  if (!proven.ok) return proven
  if (held === undefined || held.row.revoked_at !== undefined) return refuse('passkey.unknown')
  const to = { ...held.row, revoked_at: deps.clock() }
  const changes: Change[] = [
    ...proven.value.changes,
    { kind: 'swap', table: 'passkeys', id: passkey_id, from: held.version, to },
    passkeyAudit(deps, 'passkey.removed', by, held.row),
  ]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok(shownPasskey(held.row))
  return isLostToProof(proven.value, changes, recorded) ? refuse('request.replayed') : refuseUnrecorded(recorded)
}
