import type { CallRow } from '../contract/call.ts'
import { problem } from '../contract/problems.ts'
import { onlyReads } from '../contract/tool.ts'
import { auditOf } from './call-changes.ts'
import { isUnrecorded } from '../changes/unrecorded.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Liveness } from '../ports/liveness.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { retryChanges } from './retry-call.ts'
import { closeRun } from './settle-call.ts'
import { isStopping, verifyCall, type VerifyDeps } from './standard/verify-call.ts'

export type RecoverDeps = {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly liveness: Pick<Liveness, 'isAlive'>
  /** Called if a commit failed: the recovery has to be repeated. */
  readonly onUnrecorded?: () => void
}

const PAGE = 100

type Recovered = 'unknown' | 'retried' | 'failed' | 'not_reported'

/**
 * At start, and when another node dies: calls that a dead boot left `executing` were interrupted. One that only reads has failed
 * and can be repeated. For every other one it is not known whether it took effect, so it becomes `unknown`: an idempotent one is
 * retried by the driver, the rest wait for a person.
 */
export async function recoverCalls(deps: RecoverDeps): Promise<Readonly<Record<Recovered, number>>> {
  const counts = { unknown: 0, retried: 0, failed: 0, not_reported: 0 }
  await eachCall(deps, 'executing', async (held) => {
    if (await isOrphaned(deps.liveness, held.row)) counts[await interrupt(deps, held)] += 1
  })
  // An earlier release asked a person about reads too.
  await eachCall(deps, 'unknown', async (held) => {
    if (held.row.settled === undefined && onlyReads(held.row.judged)) await failRead(deps, held, closeRun(held.row))
  })
  return counts
}

async function eachCall(
  { tables }: RecoverDeps,
  state: 'executing' | 'unknown',
  visit: (held: Stored<'calls'>) => Promise<void>,
): Promise<void> {
  let after: number | undefined
  for (;;) {
    const page = await tables.list('calls', { state }, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    const last = page.at(-1)
    if (last === undefined) return
    after = last.cursor
    for (const held of page) await visit(held)
  }
}

async function interrupt(deps: RecoverDeps, held: Stored<'calls'>): Promise<Recovered> {
  // A held call's run is still marked as resuming it: when driven again, it reads this row and ends or continues from there.
  if (held.row.executor === 'client') return giveUpReport(deps, held)
  if (onlyReads(held.row.judged)) return failRead(deps, held, [])
  const at = deps.clock()
  const row: CallRow = { ...held.row, state: 'unknown', problem: problem('call.interrupted') }
  const mayRetry = row.idempotent
  const settled: CallRow = mayRetry ? { ...row, settled: { by: 'recovery', as: 'retry', at } } : row
  const next: { row: CallRow; changes: Change[] } = mayRetry
    ? retryChanges(deps, settled)
    : { row: settled, changes: [] }
  await record(deps, [
    { kind: 'swap', table: 'calls', id: row.call_id, from: held.version, to: next.row },
    ...next.changes,
    { kind: 'audit', entry: auditOf('call.interrupted', next.row, at, { actor: 'gate', outcome: 'unknown' }) },
  ])
  return mayRetry ? 'retried' : 'unknown'
}

/** If the commit is lost, another node has recovered the call. */
async function record(
  { ledger, onUnrecorded }: Pick<RecoverDeps, 'ledger' | 'onUnrecorded'>,
  changes: readonly Change[],
): Promise<void> {
  if (isUnrecorded(await ledger.commit(changes))) onUnrecorded?.()
}

/** A client may have run it, and has not reported. There is nothing that a person could settle. */
export async function giveUpReport(
  deps: Pick<RecoverDeps, 'ledger' | 'clock' | 'onUnrecorded'>,
  { row, version }: Stored<'calls'>,
): Promise<'not_reported'> {
  const at = deps.clock()
  const ended: CallRow = { ...row, state: 'not_reported', ended_at: at }
  await record(deps, [
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to: ended },
    { kind: 'audit', entry: auditOf('call.not_reported', ended, at, { actor: 'gate', outcome: 'not_reported' }) },
  ])
  return 'not_reported'
}

async function failRead(deps: RecoverDeps, held: Stored<'calls'>, also: readonly Change[]): Promise<'failed'> {
  const at = deps.clock()
  const why = problem('call.read_interrupted')
  const row: CallRow = { ...held.row, state: 'failed', ended_at: at, problem: why }
  const about = { code: why.code }
  await record(deps, [
    { kind: 'swap', table: 'calls', id: row.call_id, from: held.version, to: row },
    ...also,
    { kind: 'audit', entry: auditOf('call.interrupted', row, at, { actor: 'gate', outcome: 'failed', about }) },
  ])
  return 'failed'
}

export type RecoverReadBackDeps = VerifyDeps & {
  readonly tables: Tables
  readonly liveness: Pick<Liveness, 'isAlive'>
}

/** At start, and when another node dies: performs the read-backs that a dead boot left open. */
export async function recoverReadBacks(deps: RecoverReadBackDeps): Promise<number> {
  let after: number | undefined
  let carriedOut = 0
  while (!isStopping(deps)) {
    const page = await deps.tables.list(
      'calls',
      { due: 'verify' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    const last = page.at(-1)
    if (last === undefined) break
    after = last.cursor
    for (const { row, version } of page) {
      if (isStopping(deps)) break
      if (!(await isOrphaned(deps.liveness, row))) continue
      await verifyCall(deps, { row, version })
      carriedOut += 1
    }
  }
  return carriedOut
}

/** Whether the boot that executes or verifies this call is dead. Rows of early releases name none, and none of those is alive. */
export async function isOrphaned({ isAlive }: Pick<Liveness, 'isAlive'>, { boot }: CallRow): Promise<boolean> {
  return boot === undefined || !(await isAlive(boot))
}
