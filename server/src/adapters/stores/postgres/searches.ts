import type { FoundPage, Page, SearchTable, SearchWhere } from '../../../kernel/ports/reads.ts'
import { Bug } from '../../../kernel/contract/problems.ts'
import { columnsOf, isUnindexed } from '../listed.ts'
import { pgText } from './pg-text.ts'
import type { ReadQueries } from './read-queries.ts'

/** How many rows one page reads if more than one index would be needed. */
export const MOST_LOOKED_AT = 5_000
/** Rows are stored nearly in the order of their times: a few are recorded later than the ones after them. */
const OUT_OF_ORDER = 256

/** A cursor beyond all rows. */
export const HIGHEST = Number.MAX_SAFE_INTEGER

/**
 * Whether a value is written out in the statement. A partial index of states is chosen by the value; there are few states, so
 * there are few statements.
 */
export const isWord = (field: string, value: string): boolean => field === 'state' && /^[a-z_]{1,20}$/.test(value)

/** The fields that lead the search, the most selective first. */
const LEADING = ['state', 'caller', 'tool_id', 'user'] as const

/**
 * The cursors of the matching rows, in order, and where to continue.
 * INVARIANT: whatever is requested, a page costs the same with a thousand rows and with a million: it reads one index from the
 * cursor on, and at most MOST_LOOKED_AT entries of it.
 */
export async function searchRows(
  queries: ReadQueries,
  table: SearchTable,
  where: SearchWhere,
  { limit, after, newest_first = false }: Page,
): Promise<FoundPage<number>> {
  const { fits, values } = conditionsOf(table, where)
  const [low, high] = await boundsOf(queries, table, where)
  const from = newest_first ? low : Math.max(low, after ?? low)
  const to = newest_first ? Math.min(high, after ?? high) : high
  const leader = LEADING.find((field) => fits.has(field) && !isUnindexed(table, field, where[field] ?? ''))
  const rest = [...fits].flatMap(([field, condition]) => (field === leader ? [] : [condition]))
  const led = leader === undefined ? '' : `${fits.get(leader)} AND `
  const order = newest_first ? 'DESC' : 'ASC'
  const most = rest.length === 0 ? limit : MOST_LOOKED_AT
  const [found] = await queries.all<{ n: number; edge: number | null; items: number[] }>(
    `WITH looked AS (SELECT pos, ${rest.length === 0 ? 'true' : `coalesce(${rest.join(' AND ')}, false)`} AS fits
        FROM ${table} WHERE ${led}pos > $1 AND pos < $2 ORDER BY pos ${order} LIMIT $3)
      SELECT (SELECT count(*) FROM looked) AS n, (SELECT ${newest_first ? 'min' : 'max'}(pos) FROM looked) AS edge,
        ARRAY(SELECT pos::float8 FROM looked WHERE fits ORDER BY pos ${order} LIMIT $4) AS items`,
    [from, to, most, limit, ...values],
  )
  if (found === undefined) return { items: [] }
  const { n, edge, items } = found
  if (items.length === limit) return { items, ...nextOf(items.at(-1)) }
  return { items, ...(n === most ? nextOf(edge ?? undefined) : {}) }
}

const nextOf = (cursor: number | undefined): { next?: number } => (cursor === undefined ? {} : { next: cursor })

/** INVARIANT: names that become SQL are our own names. */
function conditionsOf(table: SearchTable, where: SearchWhere) {
  const fits = new Map<string, string>()
  const values: (string | number)[] = []
  const place = (value: string | number) => `$${4 + values.push(value)}`
  const columns = columnsOf(table)
  for (const field of LEADING) {
    const value = where[field]
    if (value === undefined) continue
    if (!columns.includes(field)) throw new Bug(`\`${table}\` is not searched by \`${field}\``)
    fits.set(field, `"${field}" = ${isWord(field, value) ? `'${value}'` : place(pgText(value))}`)
  }
  if (where.since !== undefined) fits.set('since', `received_at >= ${place(where.since)}::float8`)
  if (where.until !== undefined) fits.set('until', `received_at <= ${place(where.until)}::float8`)
  return { fits, values }
}

/** Between which cursors the rows of a period are: found by the index of times, so that nothing newer is read. */
async function boundsOf(
  queries: ReadQueries,
  table: SearchTable,
  { since, until }: SearchWhere,
): Promise<readonly [number, number]> {
  if (since === undefined && until === undefined) return [-1, HIGHEST]
  if (table !== 'calls') throw new Bug(`\`${table}\` is not searched by time`)
  const low = since === undefined ? -1 : await edgeOf(queries, 'min', `>= $1 ORDER BY received_at`, since)
  const high = until === undefined ? HIGHEST : await edgeOf(queries, 'max', `<= $1 ORDER BY received_at DESC`, until)
  // Nothing that new, or nothing that old: an empty range.
  if (low === undefined || high === undefined) return [0, 0]
  return [since === undefined ? low : low - 1, until === undefined ? high : high + 1]
}

async function edgeOf(
  queries: ReadQueries,
  which: 'min' | 'max',
  condition: string,
  at: number,
): Promise<number | undefined> {
  const [found] = await queries.all<{ pos: number | null }>(
    `SELECT ${which}(pos) AS pos FROM (SELECT pos FROM calls WHERE received_at ${condition} LIMIT ${OUT_OF_ORDER}) near`,
    [at],
  )
  return found?.pos ?? undefined
}
