import { isEndedRun } from '../contract/run.ts'
import { expireApproval, expireCall, expireLabel, expireRun } from './expire-rows.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Journal, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import type { CallersOfKinds } from '../runs/may-see-run.ts'
import { hasEnded } from './end-days.ts'

export type ExpirePorts = {
  /** The ledger below all wrappers: an expiry is not reported to runs and channels. */
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly journal: Pick<Journal, 'events'>
  readonly clock: Clock
  readonly kinds: CallersOfKinds
}

/**
 * Deletes the texts of one ended call and of its requests, in one commit. False if it has not ended, or changed in the meantime.
 */
export async function expireTexts(deps: ExpirePorts, held: Stored<'calls'>): Promise<boolean> {
  const { row, version } = held
  if (!hasEnded(row) || row.expired_at !== undefined) return false
  const now = deps.clock()
  const changes: Change[] = [
    // Without `was`, so that nothing of the previous row stays in the store.
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to: expireCall(row, now) },
  ]
  for (let id = row.approval_id; id !== undefined;) {
    const request = await deps.tables.row('approvals', id)
    if (request === undefined || request.row.texts_expired_at !== undefined) break
    changes.push({ kind: 'swap', table: 'approvals', id, from: request.version, to: expireApproval(request.row, now) })
    id = request.row.replaces
  }
  return (await deps.ledger.commit(changes)) === 'committed'
}

const EVENTS_AT_ONCE = 500

/** Deletes an ended run's journal, then its state. After a crash in between, the state is still there to find it by. */
export async function expireJournal(deps: ExpirePorts, { row, version }: Stored<'runs'>): Promise<boolean> {
  if (!isEndedRun(row) || row.expired_at !== undefined) return false
  for (;;) {
    const [last] = (await deps.journal.events(row.run_id, 0, EVENTS_AT_ONCE)).slice(-1)
    if (last === undefined) break
    const forgotten = await deps.ledger.commit([{ kind: 'forget', run: row.run_id, through: last.seq }])
    if (forgotten !== 'committed') return false
  }
  const to = expireRun(row, deps.clock(), deps.kinds)
  const swapped = await deps.ledger.commit([{ kind: 'swap', table: 'runs', id: row.run_id, from: version, to }])
  return swapped === 'committed'
}

/** Deletes the text of one label. False if it has none, or changed in the meantime. */
export async function expireLabelText(
  { ledger }: Pick<ExpirePorts, 'ledger'>,
  held: Stored<'labels'>,
): Promise<boolean> {
  const { row, version } = held
  if (row.text === undefined) return false
  const to = expireLabel(row)
  return (await ledger.commit([{ kind: 'swap', table: 'labels', id: row.label_id, from: version, to }])) === 'committed'
}
