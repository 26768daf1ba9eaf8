import type { CredentialRow } from '../contract/caller.ts'
import { mayContinue } from './grants.ts'
import { everyRow } from '../changes/every-row.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import { credentialState } from './credential-state.ts'

/**
 * The key that replaced one that has ended: valid, of the same caller, with at least the same grant, and created before the other one ended.
 * What the old key began goes on with it. A key that is created after the revocation replaces nothing, so a stolen key ends with all it began
 * if it is revoked first.
 */
export async function successorOf(
  { tables, clock }: { readonly tables: Pick<Tables, 'list'>; readonly clock: () => number },
  { key_id, caller, revoked_at = Infinity, expires_at = Infinity }: CredentialRow,
): Promise<Stored<'credentials'> | undefined> {
  const ended_at = Math.min(revoked_at, expires_at)
  const now = clock()
  for await (const held of everyRow(tables, 'credentials')) {
    const { row } = held
    const isReplacement = row.key_id !== key_id && row.created_at <= ended_at && mayContinue(row.caller, caller)
    if (isReplacement && credentialState(row, now) === 'active') return held
  }
  return undefined
}
