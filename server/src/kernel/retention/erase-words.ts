import type { FlowRow } from '../../guests/flows/flow-rows.ts'
import { DELEGATION } from '../approvals/delegation.ts'
import { delegationIn } from '../approvals/delegations.ts'
import { everyRow } from '../changes/every-row.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Held, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'

export type WordsDeps = {
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly clock: Clock
}

/**
 * Deletes what a person wrote that is not in a call or a run of their own: reasons of decisions and delegations, notes in flows, names
 * of passkeys and browsers. The rows stay, with who did what and when. `callers`: the ids under which the person acts.
 */
export async function eraseWords(deps: WordsDeps, user: string, callers: ReadonlySet<string>): Promise<void> {
  // A row that changes in the meantime is found again when the erasure is repeated.
  const commit = async (changes: readonly Change[]) => {
    if (changes.length > 0) await deps.ledger.commit(changes)
  }
  for await (const held of everyRow(deps.tables, 'approvals')) await commit(await withoutReasons(deps, held, user))
  for await (const held of everyRow(deps.tables, 'runs', { kind: DELEGATION })) await commit(withoutReason(held, user))
  for await (const held of everyRow(deps.tables, 'flows')) await commit(withoutNotes(held, user, callers))
  for await (const { row, version } of everyRow(deps.tables, 'passkeys', { user }))
    if (row.name !== '')
      await commit([{ kind: 'swap', table: 'passkeys', id: row.passkey_id, from: version, to: { ...row, name: '' } }])
  for await (const { row, version } of everyRow(deps.tables, 'pushes', { user })) {
    const to = { ...row, ended_at: row.ended_at ?? deps.clock(), endpoint: '', p256dh: '', auth: '', name: '' }
    if (row.endpoint !== '') await commit([{ kind: 'swap', table: 'pushes', id: row.push_id, from: version, to }])
  }
}

/** The reason of a denial is also in the call that it ended. */
async function withoutReasons({ tables }: WordsDeps, held: Held<'approvals'>, user: string): Promise<Change[]> {
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
function withoutReason(held: Held<'runs'>, user: string): Change[] {
  const { row, version } = held
  if (row.expired_at !== undefined) return []
  const state = delegationIn(held)
  if (state.from !== user || state.reason === null) return []
  return [
    { kind: 'swap', table: 'runs', id: row.run_id, from: version, to: { ...row, state: { ...state, reason: null } } },
  ]
}

function withoutNotes({ row, version }: Held<'flows'>, user: string, callers: ReadonlySet<string>): Change[] {
  const to = noteless(row, user, callers)
  if (to === row) return []
  const id = to.is === 'proposal' ? to.proposal_id : to.is === 'run' ? to.run_id : undefined
  return id === undefined ? [] : [{ kind: 'swap', table: 'flows', id, from: version, to }]
}

function noteless(row: FlowRow, user: string, callers: ReadonlySet<string>): FlowRow {
  if (row.is === 'run') {
    const isTheirs = ({ by, note }: (typeof row.history)[number]) => note !== null && callers.has(by)
    if (!row.history.some(isTheirs)) return row
    return { ...row, history: row.history.map((item) => (isTheirs(item) ? { ...item, note: null } : item)) }
  }
  if (row.is !== 'proposal') return row
  const isNoted = row.note !== null && callers.has(row.evaluated_by ?? '')
  const isReasoned = (row.reason !== null || row.waived !== null) && callers.has(row.decided_by ?? '')
  const isIntended = row.proposer === user && row.intent !== ''
  if (!isNoted && !isReasoned && !isIntended) return row
  // That an evaluation was waived stays.
  const reasons = isReasoned ? { reason: null, waived: row.waived === null ? null : '' } : {}
  return { ...row, ...(isNoted ? { note: null } : {}), ...(isIntended ? { intent: '' } : {}), ...reasons }
}
