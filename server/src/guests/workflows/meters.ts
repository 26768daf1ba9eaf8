import type { Change, Committed, Ledger } from '../../kernel/ports/ledger.ts'
import type { Accounts } from '../../kernel/ports/reads.ts'
import { lostAt } from '../../kernel/changes/unrecorded.ts'

/** A limited number of units for a period. */
export type Meter = { readonly account: string; readonly limit: number; readonly until?: number }

export type MeterDeps = { readonly ledger: Ledger; readonly accounts: Accounts }

const MINUTE_MS = 60_000

export const minuteMeter = (name: string, limit: number, now: number): Meter[] => {
  const minute = Math.floor(now / MINUTE_MS)
  return limit === 0 ? [] : [{ account: `workflow ${name} ${minute} ${limit}`, limit, until: (minute + 2) * MINUTE_MS }]
}

export const takeOne = ({ account }: Meter): Change => ({ kind: 'spend', account, units: 1 })

export type MeterCommit = Committed | { readonly over: string }

/**
 * Commits changes together with one unit of each meter, all or nothing. The changes come first: a repetition of something already
 * done is lost as such, even if a meter is empty by now.
 * INVARIANT: if several race for the last unit, one commits; the others get the limit.
 */
export async function commitWithin(
  { ledger, accounts }: MeterDeps,
  meters: readonly Meter[],
  changes: readonly Change[],
): Promise<MeterCommit> {
  for (;;) {
    const committed = await ledger.commit([...changes, ...meters.map(takeOne)])
    const meter = meters[(lostAt(committed) ?? -1) - changes.length]
    if (meter === undefined) return committed
    const left = await accounts.left(meter.account)
    if (left !== undefined && left < 1) return { over: meter.account }
    // If two processes open it, the second commit is lost, and the account is open.
    if (left === undefined) {
      const opened = await ledger.commit([
        {
          kind: 'open',
          account: meter.account,
          units: meter.limit,
          ...(meter.until === undefined ? {} : { until: meter.until }),
        },
      ])
      if (opened !== 'committed' && lostAt(opened) === undefined) return opened
    }
  }
}

export const isOver = (committed: MeterCommit): committed is { readonly over: string } =>
  typeof committed === 'object' && 'over' in committed
