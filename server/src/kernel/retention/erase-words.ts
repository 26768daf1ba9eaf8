import { DELEGATION } from '../approvals/delegation.ts'
import { delegationIn } from '../approvals/delegations.ts'
import { everyRow } from '../changes/every-row.ts'
import type { TableEntry } from '../changes/table-entry.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'

export type WordsPorts = {
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly clock: Clock
  readonly tableEntries: readonly TableEntry[]
}

/**
 * Deletes what a person wrote that is not in a call or a run of their own: reasons of decisions and delegations, names of passkeys, and
 * what the guests' tables contain. The rows stay, with who did what and when. `callers`: the ids under which the person acts. Returns
 * how many rows had habits.
 */
export async function eraseWords(deps: WordsPorts, user: string, callers: ReadonlySet<string>): Promise<number> {
  // A row that changes in the meantime is found again when the erasure is repeated.
  const commit = async (changes: readonly Change[]) =>
    changes.length > 0 && (await deps.ledger.commit(changes)) === 'committed'
  for await (const held of everyRow(deps.tables, 'approvals')) await commit(await withoutReasons(deps, held, user))
  for await (const held of everyRow(deps.tables, 'runs', { kind: DELEGATION })) await commit(withoutReason(held, user))
  for await (const { row, version } of everyRow(deps.tables, 'passkeys', { user }))
    if (row.name !== '')
      await commit([{ kind: 'swap', table: 'passkeys', id: row.passkey_id, from: version, to: { ...row, name: '' } }])
  let habits = 0
  for (const { table, erased, counted_as } of deps.tableEntries) {
    if (erased === undefined) continue
    for await (const held of everyRow(deps.tables, table)) {
      const isErased = await commit(erased(held, { user, callers, now: deps.clock() }))
      if (isErased && counted_as === 'habits') habits += 1
    }
  }
  return habits
}

/** The reason of a denial is also in the call that it ended. */
async function withoutReasons({ tables }: WordsPorts, held: Stored<'approvals'>, user: string): Promise<Change[]> {
  const { row, version } = held
  const isTheirs = (one: (typeof row.decisions)[number]) => one.user === user && one.reason !== undefined
  const theirs = row.decisions.filter(isTheirs)
  if (theirs.length === 0) return []
  const decisions = row.decisions.map((one) => {
    const { reason: _, ...rest } = one
    return isTheirs(one) ? rest : one
  })
  const swap: Change = {
    kind: 'swap',
    table: 'approvals',
    id: row.approval_id,
    from: version,
    to: { ...row, decisions },
  }
  const call = theirs.some(({ says }) => says === 'deny') ? await tables.row('calls', row.call_id) : undefined
  const why = call?.row.problem
  if (call === undefined || why?.about['reason'] === undefined) return [swap]
  const { reason: _, ...about } = why.about
  const to = { ...call.row, problem: { ...why, about } }
  return [swap, { kind: 'swap', table: 'calls', id: row.call_id, from: call.version, to }]
}

/** It goes on without its reason. */
function withoutReason(held: Stored<'runs'>, user: string): Change[] {
  const { row, version } = held
  if (row.expired_at !== undefined) return []
  const state = delegationIn(held)
  if (state.from !== user || state.reason === null) return []
  return [
    { kind: 'swap', table: 'runs', id: row.run_id, from: version, to: { ...row, state: { ...state, reason: null } } },
  ]
}
