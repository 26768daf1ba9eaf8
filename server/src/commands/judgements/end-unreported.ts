import { giveUpReport, type RecoverDeps } from '../calls/recover-calls.ts'

/** So long a client may take to say what came of a call. */
const UNREPORTED_MS = 6 * 3_600_000
const PAGE = 100

export type UnreportedDeps = Pick<RecoverDeps, 'shelves' | 'ledger' | 'clock'>

/** Calls that a client was allowed to run, and of which it has not reported anything for hours. Returns how many were ended. */
export async function endUnreported(deps: UnreportedDeps): Promise<number> {
  let ended = 0
  let after: number | undefined
  for (;;) {
    const page = await deps.shelves.list(
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
