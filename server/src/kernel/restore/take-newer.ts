import { LOCAL_OWNER } from '../contract/caller.ts'
import type { CallRow } from '../contract/call.ts'
import { grantAccount } from '../identity/facts/grant-calls.ts'
import { everyRow } from '../changes/every-row.ts'
import type { Change, Rows, Table } from '../ports/ledger.ts'
import type { Accounts, Stored, Tables } from '../ports/reads.ts'
import { committed, type RestorePorts } from './end-restored.ts'

/** The store that a backup replaces. */
export type ReplacedStore = { readonly tables: Tables; readonly accounts: Accounts }

/**
 * Takes from the store that a backup replaces what it knows better, as far as that is stricter: keys and passkeys that were revoked,
 * newer passphrases, pauses, used calls of keys, and how calls ended. Calls that it has besides are taken if their callers may repeat
 * them under the same key.
 * INVARIANT: nothing is taken that allows more than the backup does.
 */
export async function takeNewer(deps: RestorePorts, from: ReplacedStore): Promise<number> {
  let count = 0
  const take = async <T extends Table>(
    table: T,
    id: string,
    version: number | 'absent',
    to: Rows[T],
  ): Promise<void> => {
    const swap = { kind: 'swap', table, id, from: version, to } as Change
    await committed(deps, [swap, noted(deps, table, id)])
    count += 1
  }
  for await (const { row } of everyRow(from.tables, 'credentials')) {
    const ours = await deps.tables.row('credentials', row.key_id)
    if (ours === undefined) continue
    if (row.revoked_at !== undefined && ours.row.revoked_at === undefined)
      await take('credentials', row.key_id, ours.version, { ...ours.row, revoked_at: row.revoked_at })
    if (row.caller.grant?.calls !== undefined) await spendUsed(deps, from, grantAccount(row.caller.grant))
  }
  for await (const { row } of everyRow(from.tables, 'passkeys')) {
    const ours = await deps.tables.row('passkeys', row.passkey_id)
    if (ours !== undefined && row.revoked_at !== undefined && ours.row.revoked_at === undefined)
      await take('passkeys', row.passkey_id, ours.version, { ...ours.row, revoked_at: row.revoked_at })
  }
  for await (const { row, version } of everyRow(from.tables, 'passphrases')) {
    const ours = await deps.tables.row('passphrases', row.user)
    // One that was cleared is not taken: without one, whoever has the person's key could set another.
    if (row.sealed !== undefined && version > (ours?.version ?? 0))
      await take('passphrases', row.user, ours?.version ?? 'absent', row)
  }
  for await (const { row } of everyRow(from.tables, 'pauses')) {
    const ours = await deps.tables.row('pauses', row.scope)
    if (row.active && (ours?.row.active !== true || (ours.row.effect === 'ask' && row.effect === 'block')))
      await take('pauses', row.scope, ours?.version ?? 'absent', row)
  }
  for await (const theirs of everyRow(from.tables, 'calls')) {
    const { row } = theirs
    const ours = await deps.tables.row('calls', row.call_id)
    if (!isFurther(theirs.row, ours)) continue
    await take('calls', row.call_id, ours?.version ?? 'absent', row)
    const request = row.approval_id === undefined ? undefined : await from.tables.row('approvals', row.approval_id)
    const before = await deps.tables.row('approvals', row.approval_id ?? '')
    if (request !== undefined && (before === undefined || request.version > before.version))
      await take('approvals', request.row.approval_id, before?.version ?? 'absent', request.row)
  }
  return count
}

/** A call that had not been started at the time of the backup, or not been made, and was started since. */
function isFurther(row: CallRow, ours: Stored<'calls'> | undefined): boolean {
  if (row.in_memory !== undefined) return false
  if (ours === undefined) return row.idempotency_key !== undefined && row.state !== 'pending'
  return PROGRESS[row.state] > PROGRESS[ours.row.state]
}

const PROGRESS: Readonly<Record<CallRow['state'], number>> = {
  pending: 0,
  executing: 1,
  unknown: 2,
  executed: 3,
  refused: 3,
  failed: 3,
  not_reported: 3,
}

/** A key for a number of calls has as few left as in either store. */
async function spendUsed(deps: RestorePorts, from: ReplacedStore, account: string): Promise<void> {
  const [ours, theirs] = [await deps.accounts.left(account), await from.accounts.left(account)]
  if (ours !== undefined && theirs !== undefined && theirs < ours)
    await committed(deps, [{ kind: 'spend', account, units: ours - theirs }])
}

const noted = (deps: RestorePorts, table: Table, id: string): Change => ({
  kind: 'audit',
  entry: {
    at: deps.clock(),
    type: 'row.taken_over',
    actor: LOCAL_OWNER.id,
    trace: deps.ids.trace(),
    subject: { table, row: id },
  },
})
