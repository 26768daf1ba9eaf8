import type { CallRow } from '../contract/call.ts'
import type { Policy } from './policy.ts'
import { recordedCall } from './recorded-call.ts'
import { type ReplayedChange, replayPolicy as judgeAgain } from './replay.ts'
import type { Tables } from '../ports/reads.ts'

export type ReplayReport = {
  readonly policy: { readonly file: string; readonly version: string }
  readonly since: number
  /** The calls recorded since then: judged again, or without the facts of their time. */
  readonly calls: number
  readonly judged: number
  readonly not_replayable: number
  /** True if there are older calls in the period that were left out. */
  readonly more: boolean
  readonly sums: Readonly<Record<string, number>>
  /** Newest first; `left_off` says how many more there are. */
  readonly changes: readonly (ReplayedChange & { readonly received_at: number })[]
  readonly left_off: number
}

const PAGE = 200
const MOST_CALLS = 100_000
const MOST_CHANGES = 1_000

/** Judges recorded calls again with a draft. Nothing is executed, held or written. */
export async function replayPolicy(
  { tables }: { readonly tables: Tables },
  draft: Policy,
  since: number,
  most = MOST_CALLS,
): Promise<ReplayReport> {
  const found = { calls: 0, judged: 0, more: false }
  const sums: Record<string, number> = {}
  const changes: ReplayReport['changes'][number][] = []
  let changed = 0
  for await (const rows of recentCalls(tables, since)) {
    const fitting = rows.slice(0, most - found.calls)
    found.calls += fitting.length
    const times = new Map<string, number>(fitting.map(({ call_id, received_at }) => [call_id, received_at]))
    const again = judgeAgain(
      fitting.flatMap((row) => recordedCall(row) ?? []),
      draft,
    )
    found.judged += again.judged
    changed += again.changes.length
    for (const [name, count] of Object.entries(again.sums)) sums[name] = (sums[name] ?? 0) + count
    for (const change of again.changes.slice(0, MOST_CHANGES - changes.length))
      changes.push({ ...change, received_at: times.get(change.call_id) ?? 0 })
    found.more = fitting.length < rows.length
    if (found.more) break
  }
  const { file, version } = draft
  const not_replayable = found.calls - found.judged
  return {
    policy: { file, version },
    since,
    ...found,
    not_replayable,
    sums,
    changes,
    left_off: changed - changes.length,
  }
}

/** Pages of calls, newest first, back to a time. Rows are in the order of recording, which is that of time. */
async function* recentCalls(tables: Tables, since: number): AsyncIterable<readonly CallRow[]> {
  let after: number | undefined
  for (;;) {
    const page = { limit: PAGE, newest_first: true, ...(after === undefined ? {} : { after }) }
    const held = await tables.list('calls', {}, page)
    const rows = held
      .map(({ row }) => row)
      .filter(({ received_at, expired_at }) => received_at >= since && expired_at === undefined)
    if (rows.length > 0) yield rows
    after = held.at(-1)?.cursor
    if (held.length < PAGE || rows.length === 0) return
  }
}
