import type { Retention } from '../contract/config.ts'
import { dayOf, expiredBefore, lastExpiredDay, type Period } from './end-days.ts'
import { letOthersRun } from '../audit/verify-audit-reads.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Rows } from '../ports/ledger.ts'
import type { Stored, Page } from '../ports/reads.ts'
import type { Ids } from '../ports/runtime.ts'
import { expireJournal, expireLabelText, expireTexts, type ExpirePorts } from './expire-texts.ts'

export type SweepPorts = ExpirePorts & {
  readonly artifacts: Artifacts
  readonly ids: Pick<Ids, 'trace'>
  /** Overwrites what is left of deleted texts in the store's files. */
  readonly scrub: () => Promise<void>
  /** True when the gate stops: the rest is left to the next sweep. */
  readonly isStopping: () => boolean
  readonly after: (ms: number, callback: () => void) => void
}
export type Swept = { readonly calls: number; readonly journals: number; readonly artifacts: number }

/** Few enough that a call that arrives in the meantime hardly waits. */
const ROWS_AT_ONCE = 16
/** A pause between pages, because a sweep has an hour and calls have priority. */
const PAUSE_MS = 5

/**
 * Deletes what the retention policy says: arguments and outputs of ended calls, journals of ended runs, artifacts. In small commits, so
 * that calls are not delayed. What an earlier sweep left, for example because of a crash, is found by the same index.
 */
export async function sweepExpired(deps: SweepPorts, policy: Retention): Promise<Swept> {
  const calls = await sweepTable(deps, 'calls', policy.calls)
  // What entered a session is deleted with the calls it came with.
  await sweepTable(deps, 'labels', policy.calls)
  const journals = await sweepTable(deps, 'runs', policy.journals)
  const before = expiredBefore(deps.clock(), policy.artifacts)
  const artifacts = before === undefined ? 0 : await deps.artifacts.expire(before)
  const swept = { calls, journals, artifacts }
  if (calls + journals > 0) await deps.scrub()
  if (calls + journals + artifacts > 0)
    await deps.ledger.commit([
      {
        kind: 'audit',
        entry: {
          at: deps.clock(),
          type: 'retention.swept',
          actor: 'gate',
          trace: deps.ids.trace(),
          subject: {},
          about: swept,
        },
      },
    ])
  return swept
}

async function sweepTable(deps: SweepPorts, table: SweptTable, period: Period): Promise<number> {
  const last = lastExpiredDay(deps.clock(), period)
  const [oldest] = await deps.tables.list(table, {}, { limit: 1 })
  if (last === undefined || oldest === undefined) return 0
  const began = beganAt(oldest.row)
  let expired = 0
  for (let day = Number(dayOf(began)); day <= last; day += 1) {
    expired += await sweepDay(deps, table, String(day))
    if (deps.isStopping()) return expired
  }
  return expired
}

type SweptTable = 'calls' | 'runs' | 'labels'

function beganAt(row: Rows[SweptTable]): number {
  if ('received_at' in row) return row.received_at
  return 'created_at' in row ? row.created_at : row.at
}

type SweptPage = { readonly cursor: number | undefined; readonly done: readonly boolean[] }

async function sweepPage(deps: SweepPorts, table: SweptTable, ended_day: string, page: Page): Promise<SweptPage> {
  const sweep = async <T extends SweptTable>(
    held: readonly Stored<T>[],
    expire: (one: Stored<T>) => Promise<boolean>,
  ): Promise<SweptPage> => ({ cursor: held.at(-1)?.cursor, done: await Promise.all(held.map(expire)) })
  switch (table) {
    case 'calls':
      return sweep(await deps.tables.list(table, { ended_day }, page), (held) => expireTexts(deps, held))
    case 'runs':
      return sweep(await deps.tables.list(table, { ended_day }, page), (held) => expireJournal(deps, held))
    default:
      return sweep(await deps.tables.list(table, { ended_day }, page), (held) => expireLabelText(deps, held))
  }
}

async function sweepDay(deps: SweepPorts, table: SweptTable, ended_day: string): Promise<number> {
  let expired = 0
  let after: number | undefined
  for (;;) {
    await letOthersRun()
    const page = { limit: ROWS_AT_ONCE, ...(after === undefined ? {} : { after }) }
    const { cursor, done } = await sweepPage(deps, table, ended_day, page)
    after = cursor ?? after
    expired += done.filter(Boolean).length
    if (done.length > 0) await new Promise<void>((go) => deps.after(PAUSE_MS, go))
    if (done.length < ROWS_AT_ONCE || deps.isStopping()) return expired
  }
}
