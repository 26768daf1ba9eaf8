import type { ClaimDeps } from '../../kernel/attempt/earlier-call.ts'
import { giveUpReport, type RecoverDeps } from '../../kernel/attempt/recover-calls.ts'

/** How long a client may take to report the outcome of a call. */
const UNREPORTED_MS = 6 * 3_600_000
const PAGE = 100

export type UnreportedPorts = Pick<RecoverDeps, 'tables' | 'ledger' | 'clock'>

/** Ends calls that a client was allowed to run and has not reported for hours. Returns how many were ended. */
export async function endUnreported(deps: UnreportedPorts): Promise<number> {
  let ended = 0
  let after: number | undefined
  for (;;) {
    const page = await deps.tables.list(
      'calls',
      { state: 'executing' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    for (const held of page) {
      const { executor, started_at = 0 } = held.row
      if (executor !== 'client' || deps.clock() - started_at < UNREPORTED_MS) continue
      await giveUpReport(deps, held)
      ended += 1
    }
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return ended
  }
}

export type UnusedPorts = Pick<RecoverDeps, 'tables' | 'clock'> & Pick<ClaimDeps, 'claim'>

/**
 * Ends approved calls that a client runs itself and has not repeated before the approval expired: the call ends as refused, so
 * that nobody expects it to run. Returns how many were ended.
 * INVARIANT: starts nothing, because an expired approval cannot be used.
 */
export async function endUnused(deps: UnusedPorts): Promise<number> {
  let ended = 0
  let after: number | undefined
  for (;;) {
    const page = await deps.tables.list(
      'calls',
      { state: 'pending' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    for (const { row } of page) {
      if (row.executor !== 'client' || row.approval_id === undefined) continue
      const approval = (await deps.tables.row('approvals', row.approval_id))?.row
      if (approval?.state !== 'approved' || deps.clock() < approval.expires_at) continue
      const claimed = await deps.claim(row.call_id)
      if (claimed !== 'later' && claimed !== 'taken') ended += 1
    }
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return ended
  }
}

/** Both, regularly. */
export async function endUnclaimed(deps: UnreportedPorts & UnusedPorts): Promise<void> {
  await endUnreported(deps)
  await endUnused(deps)
}
