import type { Decision } from '../contract/approval.ts'
import type { CredentialRow } from '../contract/caller.ts'
import type { KeyId } from '../contract/ids.ts'
import type { SeenKey } from '../consents/match-consent.ts'
import { knownOrReadRow } from '../ports/maybe-promise.ts'
import type { Change } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'

export type GrantReads = Pick<Tables, 'row' | 'known_rows'>

/** Whether what was granted with a key still stands, and the key as it was read. */
type Backing = { readonly ended_at?: number; readonly key?: SeenKey }

/**
 * What a key granted ends when the key is revoked, unless an admin kept it. This is compared at each use and never swept, so a killed
 * process or another node leaves nothing alive. A key that expires ends nothing: what it granted has its own limits.
 */
export async function backingOf(tables: GrantReads, key_id: KeyId | undefined): Promise<Backing> {
  if (key_id === undefined) return {}
  const held = await knownOrReadRow(tables, 'credentials', key_id)
  const key: SeenKey = { key_id, version: held?.version ?? 'absent' }
  const ended_at = endOf(held?.row)
  return ended_at === undefined ? { key } : { ended_at, key }
}

/** A key that no longer exists was revoked at an unknown time. */
function endOf(row: CredentialRow | undefined): number | undefined {
  if (row === undefined) return 0
  return row.grants_kept === true ? undefined : row.revoked_at
}

/** For the commit that uses what was granted: a revocation that was acknowledged before loses it. */
export const expectsKey = (key: SeenKey | undefined): Change[] =>
  key === undefined ? [] : [{ kind: 'expect', table: 'credentials', id: key.key_id, version: key.version }]

type Given = {
  readonly minted_key?: KeyId | undefined
  readonly revoked_at?: number | undefined
  readonly revoked_by?: string | undefined
}
type Standing<R> = { readonly row: R; readonly key?: SeenKey }

/** A consent as it stands now: revoked together with the key it was given with. */
export async function asItStands<R extends Given>(tables: GrantReads, row: R): Promise<Standing<R>> {
  const { ended_at, key } = await backingOf(tables, row.minted_key)
  if (key === undefined) return { row }
  if (ended_at === undefined || row.revoked_at !== undefined) return { row, key }
  return { row: { ...row, revoked_at: ended_at, revoked_by: key.key_id }, key }
}

/** A request with its decisions as they stand now: an approval that rests on a revoked key has ended. */
export async function withStanding<H extends Pick<Stored<'approvals'>, 'row'>>(
  tables: GrantReads,
  held: H,
): Promise<H & { readonly expects: readonly Change[] }> {
  const backed = await Promise.all(held.row.decisions.map((decision) => standing(tables, decision)))
  const decisions = backed.map(({ decision }) => decision)
  return { ...held, row: { ...held.row, decisions }, expects: backed.flatMap(({ expects }) => expects) }
}

async function standing(tables: GrantReads, decision: Decision) {
  const backed = await Promise.all((decision.keys ?? []).map((key) => backingOf(tables, key)))
  const ends = backed.flatMap(({ ended_at }) => (ended_at === undefined ? [] : [ended_at]))
  return {
    decision: ends.length === 0 ? decision : { ...decision, ended_at: Math.min(...ends) },
    expects: backed.flatMap(({ key }) => expectsKey(key)),
  }
}
