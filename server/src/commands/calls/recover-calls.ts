import type { CallRow } from '../../contract/call.ts'
import { problem } from '../../contract/problems.ts'
import { auditOf } from './call-changes.ts'
import type { Change, Clock, Held, Ids, Ledger, Shelves } from '../ports.ts'
import { retryChanges } from './retry-changes.ts'

export type RecoverDeps = {
  readonly shelves: Shelves
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly boot: string
}

const PAGE = 100

/**
 * At start: calls that an earlier process of this gate left `executing` were interrupted. Nobody knows whether they took
 * effect, so they become `unknown`: an idempotent one is tried again by the driver, every other waits for a person.
 */
export async function recoverCalls(deps: RecoverDeps): Promise<{ readonly unknown: number; readonly retried: number }> {
  const counts = { unknown: 0, retried: 0 }
  let after: number | undefined
  for (;;) {
    const page = await deps.shelves.list(
      'calls',
      { state: 'executing' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    const last = page.at(-1)
    if (last === undefined) return counts
    after = last.cursor
    for (const held of page.filter(({ row }) => row.boot !== deps.boot)) {
      counts[await interrupt(deps, held)] += 1
    }
  }
}

async function interrupt(deps: RecoverDeps, held: Held<'calls'>): Promise<'unknown' | 'retried'> {
  const at = deps.clock()
  const row: CallRow = { ...held.row, state: 'unknown', problem: problem('call.interrupted') }
  // A held call's run is still marked as resuming it: driven again, it reads this row and ends or goes on from there.
  const mayRetry = row.idempotent
  const settled: CallRow = mayRetry ? { ...row, settled: { by: 'recovery', as: 'retry', at } } : row
  const next: { row: CallRow; changes: Change[] } = mayRetry
    ? retryChanges(deps, settled)
    : { row: settled, changes: [] }
  await deps.ledger.commit([
    { kind: 'swap', table: 'calls', id: row.call_id, from: held.version, to: next.row },
    ...next.changes,
    { kind: 'audit', entry: auditOf('call.interrupted', next.row, at, { actor: 'gate', outcome: 'unknown' }) },
  ])
  return mayRetry ? 'retried' : 'unknown'
}
