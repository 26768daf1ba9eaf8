import type { StatementSync } from 'node:sqlite'
import type { FoundPage, Page, SearchTable, SearchWhere } from '../../../kernel/ports/reads.ts'
import { Bug } from '../../../kernel/contract/problems.ts'
import { columnsOf, isUnindexed } from '../listed.ts'

type Prepare = (sql: string) => StatementSync
type Value = string | number

/** How many rows one page reads if more than one index would be needed. */
export const MOST_LOOKED_AT = 5_000
/** Rows are stored nearly in the order of their times: a few are recorded later than the ones after them. */
const OUT_OF_ORDER = 256

/** The fields that lead the search, the most selective first. */
const LEADING = ['state', 'caller', 'tool_id', 'user'] as const

/**
 * The cursors of the matching rows, in order, and where to continue.
 * INVARIANT: whatever is requested, a page costs the same with a thousand rows and with a million: it reads one index from the
 * cursor on, and at most MOST_LOOKED_AT entries of it.
 */
export function searchRows(prepare: Prepare, table: SearchTable, where: SearchWhere, page: Page): FoundPage<number> {
  const { fits, values } = conditionsOf(table, where)
  const [low, high] = boundsOf(prepare, table, where)
  const { limit, after, newest_first = false } = page
  const from = newest_first ? low : Math.max(low, after ?? low)
  const to = newest_first ? Math.min(high, after ?? high) : high
  const leader = LEADING.find((field) => fits.has(field))
  const range = ['pos > ?', 'pos < ?']
  const order = newest_first ? 'DESC' : 'ASC'
  const leading = leader === undefined ? [] : [values.get(leader) ?? '']
  const conditions = leader === undefined ? range : [`${leader} = ?`, ...range]
  const rest = [...fits].filter(([field]) => field !== leader)
  const most = rest.length === 0 ? limit : MOST_LOOKED_AT
  const listed = prepare(
    `SELECT pos FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY pos ${order} LIMIT ?`,
  ).all(...leading, from, to, most) as { pos: number }[]
  const looked = listed.map(({ pos }) => pos)
  const isMore = looked.length === most
  if (rest.length === 0) return { items: looked, ...(isMore ? nextOf(looked.at(-1)) : {}) }
  const others = rest.map(([, condition]) => condition).join(' AND ')
  const found = prepare(
    `SELECT pos FROM ${table} WHERE pos IN (SELECT value FROM json_each(?)) AND ${others} ORDER BY pos ${order} LIMIT ?`,
  ).all(JSON.stringify(looked), ...rest.flatMap(([field]) => values.get(field) ?? []), limit) as { pos: number }[]
  const items = found.map(({ pos }) => pos)
  if (items.length === limit) return { items, ...nextOf(items.at(-1)) }
  return { items, ...(isMore ? nextOf(looked.at(-1)) : {}) }
}

const nextOf = (cursor: number | undefined): { next?: number } => (cursor === undefined ? {} : { next: cursor })

/** INVARIANT: names that become SQL are our own names. */
function conditionsOf(table: SearchTable, where: SearchWhere) {
  const fits = new Map<string, string>()
  const values = new Map<string, Value>()
  const columns = columnsOf(table)
  for (const field of LEADING) {
    const value = where[field]
    if (value === undefined) continue
    if (!columns.includes(field)) throw new Bug(`\`${table}\` is not searched by \`${field}\``)
    if (isUnindexed(table, field, value)) fits.set('no state', `${field} IS NULL`)
    else {
      fits.set(field, `${field} = ?`)
      values.set(field, value)
    }
  }
  if (where.since !== undefined) fits.set('since', 'received_at >= ?')
  if (where.until !== undefined) fits.set('until', 'received_at <= ?')
  if (where.since !== undefined) values.set('since', where.since)
  if (where.until !== undefined) values.set('until', where.until)
  return { fits, values }
}

/** Between which cursors the rows of a period are: found by the index of times, so that nothing newer is read. */
function boundsOf(prepare: Prepare, table: SearchTable, { since, until }: SearchWhere): [number, number] {
  if (since === undefined && until === undefined) return [-1, Number.MAX_SAFE_INTEGER]
  if (table !== 'calls') throw new Bug(`\`${table}\` is not searched by time`)
  const low =
    since === undefined
      ? -1
      : edgeOf(prepare, 'min', `received_at >= ? ORDER BY received_at LIMIT ${OUT_OF_ORDER}`, since)
  const high =
    until === undefined
      ? Number.MAX_SAFE_INTEGER
      : edgeOf(prepare, 'max', `received_at <= ? ORDER BY received_at DESC LIMIT ${OUT_OF_ORDER}`, until)
  // Nothing that new, or nothing that old: an empty range.
  if (low === undefined || high === undefined) return [0, 0]
  return [since === undefined ? low : low - 1, until === undefined ? high : high + 1]
}

function edgeOf(prepare: Prepare, which: 'min' | 'max', condition: string, time: number): number | undefined {
  const sql = `SELECT ${which}(pos) AS pos FROM (SELECT pos FROM calls WHERE ${condition})`
  return (prepare(sql).get(time) as { pos: number | null }).pos ?? undefined
}
