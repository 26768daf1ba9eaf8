import type { Caller } from '../contract/caller.ts'
import type { ConsentRow } from '../contract/consent.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import { CLOSED } from './build-consent.ts'
import { consentAudit, type MintPorts } from './mint-consent.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

/** Revokes a consent. A call that was decided on it and is not yet recorded as started loses its commit. */
export async function revokeConsent(
  deps: Omit<MintPorts, 'accounts'>,
  by: Caller,
  consent_id: string,
): Promise<Result<ConsentRow>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const held = await deps.tables.row('consents', consent_id)
  if (held === undefined) return refuse('consent.unknown', { consent_id })
  if (held.row.revoked_at !== undefined) return ok(held.row)
  const now = deps.clock()
  const row: ConsentRow = { ...held.row, revoked_by: by.id, revoked_at: now, shelf: CLOSED }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'consents', id: consent_id, from: held.version, to: row },
    consentAudit(deps, 'consent.revoked', by, row, now),
  ])
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  return recorded === 'committed' ? ok(row) : revokeConsent(deps, by, consent_id)
}
