import { setImmediate } from 'node:timers/promises'
import { Bug } from '../../../kernel/contract/problems.ts'
import type { RunEvent } from '../../../kernel/contract/run.ts'
import type { RunId } from '../../../kernel/contract/ids.ts'
import type { Rows, Table } from '../../../kernel/ports/ledger.ts'
import type { Accounts, AuditReads, Stored, Journal, Searches, Tables } from '../../../kernel/ports/reads.ts'
import { listedFields } from '../listed.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'
import { hashesIn, LINK, LINK_LENGTH, type StoredLink } from '../stored-links.ts'
import { entryOf, isListedBy, parsed, RESTRICTING, type OnForged, type StoredEntry } from '../stored-values.ts'
import { fromPgText, pgColumn, pgText } from './pg-text.ts'
import type { ReadQueries } from './read-queries.ts'
import { HIGHEST, isWord, searchRows } from './searches.ts'

export type Reads = Tables & Searches & Accounts & AuditReads & Omit<Journal, 'onWake'>

type RawRow = { pos: number; id: string; version: number; body: string; mac: string | null }
type Listed = Omit<RawRow, 'body'> & { body: string | null }

/** A page of rows below this size is parsed within milliseconds. */
const IS_LARGE = 'octet_length(body) > 16384'

/**
 * Point reads and pages. Each sees every commit that has returned, on this node or another. If the store cannot be read it
 * rejects; a reader that needs a fact then has `unknown`, never a default.
 * INVARIANT: no row, event or account without the right MAC is returned.
 */
export function reads(queries: ReadQueries, macs: RowMacs, onForged: OnForged): Reads {
  /** The row, if a gate with this key wrote it. Otherwise it is reported. */
  const ours = <T extends Table>(table: T, stored: RawRow): Stored<T>[] => {
    const { version, body, mac, pos } = stored
    const id = fromPgText(stored.id)
    if (!hasMac(table) || mac === textOf(macs.row(table, id, version, body, null)))
      return [{ version, row: parsed<Rows[T]>(body, `row ${pos} of \`${table}\``), cursor: pos }]
    onForged({ table, id })
    if (RESTRICTING.has(table)) throw new Bug(`row \`${id}\` of \`${table}\` was not written by this gate`)
    return []
  }

  const whole = (table: Table) => `SELECT pos, id, version, body, mac FROM ${known(table)}`
  const withoutLarge = (table: Table) =>
    `SELECT pos, id, version, CASE WHEN ${IS_LARGE} THEN NULL ELSE body END AS body, mac FROM ${known(table)}`

  /** Rows that are too large to be parsed together are read one by one, and the event loop may run between them. */
  const fetched = async <T extends Table>(table: T, found: readonly Listed[]): Promise<Stored<T>[]> => {
    const rows: Stored<T>[] = []
    for (const { body, ...rest } of found) {
      if (body !== null) {
        rows.push(...ours(table, { ...rest, body }))
        continue
      }
      await setImmediate()
      const [stored] = await queries.all<RawRow>(`${whole(table)} WHERE pos = $1`, [rest.pos])
      if (stored !== undefined) rows.push(...ours(table, stored))
    }
    return rows
  }

  return {
    async row(table, id) {
      const [stored] = await queries.all<RawRow>(`${whole(table)} WHERE id = $1`, [pgText(id)])
      return stored === undefined ? undefined : ours(table, stored)[0]
    },

    async list(table, where, { limit, after, newest_first = false }) {
      const { conditions, values } = filter(table, where, 3)
      const order = newest_first ? 'DESC' : 'ASC'
      const page: Stored<typeof table>[] = []
      let cursor = after
      // Forged rows are left out, and the page is filled with what follows them: a short page means that there are no more.
      for (;;) {
        const beyond = newest_first ? 'pos < $2' : 'pos > $2'
        const wanted = size(limit) - page.length
        const sql = `${withoutLarge(table)} ${clause([...conditions, beyond])} ORDER BY pos ${order} LIMIT $1`
        const found = await queries.all<Listed>(sql, [wanted, cursor ?? (newest_first ? HIGHEST : -1), ...values])
        // A row may have changed since it was found, and a column is not covered by the MAC: the row's own field counts.
        page.push(...(await fetched(table, found)).filter(({ row }) => isListedBy(row, where)))
        cursor = found.at(-1)?.pos
        if (found.length < wanted || page.length >= limit) return page
      }
    },

    async count(table, where) {
      const { conditions, values } = filter(table, where, 1)
      const [found] = await queries.all<{ n: number }>(
        `SELECT count(*) AS n FROM ${known(table)} ${clause(conditions)}`,
        values,
      )
      return found?.n ?? 0
    },

    async search(table, where, page) {
      size(page.limit)
      const { items, ...next } = await searchRows(queries, table, where, page)
      const found = await queries.all<Listed>(
        `${withoutLarge(table)} WHERE pos = ANY($1::bigint[]) ORDER BY pos ${page.newest_first === true ? 'DESC' : 'ASC'}`,
        [items],
      )
      return { items: await fetched(table, found), ...next }
    },

    async left(account) {
      const [found] = await queries.all<{ units: string; until: number | null; mac: string | null }>(
        'SELECT units::text AS units, until, mac FROM accounts WHERE id = $1',
        [pgText(account)],
      )
      if (found === undefined) return undefined
      const units = BigInt(found.units)
      // After many returns, an account can have more than a double can represent: then at least this much is left.
      if (found.mac === textOf(macs.account(account, units, found.until)))
        return Math.min(Number(units), Number.MAX_SAFE_INTEGER)
      onForged({ table: 'accounts', id: account })
      return 0
    },

    async entries(stream, from, limit) {
      const found = await queries.all<StoredEntry & { readonly seq: number }>(
        `SELECT seq, hash, body FROM audit WHERE stream = (SELECT number FROM streams WHERE stream = $1) AND seq >= $2
          ORDER BY seq LIMIT $3`,
        [pgText(stream), from, size(limit)],
      )
      return found.map((stored) => entryOf(stream, stored.seq, stored))
    },

    async naming(id, stream, from, count) {
      const found = await queries.all<StoredEntry & { readonly seq: number }>(
        `SELECT seq, hash, body FROM audit WHERE stream = (SELECT number FROM streams WHERE stream = $1)
          AND seq >= $2 AND seq < $3 AND (seq = $2 OR strpos(body, $4) > 0) ORDER BY seq`,
        [pgText(stream), from, from + size(count), pgText(id)],
      )
      return found.map((stored) => entryOf(stream, stored.seq, stored))
    },

    async namingNewest(id, count) {
      const found = await queries.all<StoredEntry & { stream: string; newest: number; seq: number | null }>(
        `SELECT h.stream, h.seq AS newest, a.seq, a.hash, a.body FROM heads h LEFT JOIN LATERAL (
            SELECT seq, hash, body FROM audit WHERE stream = (SELECT number FROM streams s WHERE s.stream = h.stream)
              AND seq > h.seq - $2 AND seq <= h.seq AND (seq = greatest(1, h.seq - $2 + 1) OR strpos(body, $1) > 0)
          ) a ON true ORDER BY h.stream, a.seq`,
        [pgText(id), size(count)],
      )
      return [...Map.groupBy(found, ({ stream }) => stream)].map(([name, stored]) => {
        const stream = fromPgText(name)
        const entries = stored.flatMap(({ seq, hash, body }) =>
          seq === null ? [] : [entryOf(stream, seq, { hash, body })],
        )
        return { stream, seq: stored[0]?.newest ?? 0, entries }
      })
    },

    async linkedHashes(stream, from, head, limit) {
      const found = await queries.all<StoredLink>(
        `SELECT seq, hash, substr(body, position('${LINK}' in body), ${LINK_LENGTH}) AS link FROM audit
          WHERE stream = (SELECT number FROM streams WHERE stream = $1) AND seq >= $2 ORDER BY seq LIMIT $3`,
        [pgText(stream), from, size(limit)],
      )
      return hashesIn(found, from, head)
    },

    async heads() {
      const found = await queries.all<{ stream: string; seq: number; hash: string; mac?: string | null }>(
        'SELECT * FROM heads ORDER BY stream',
        [],
      )
      return found.map(({ stream: stored, seq, hash, mac }) => {
        const stream = fromPgText(stored)
        const isOurs = hasNoMac(stream) || mac === undefined || mac === textOf(macs.head(stream, seq, hash))
        return { stream, seq, hash, ...(isOurs ? {} : { forged: true }) }
      })
    },

    async announced() {
      const found = await queries.all<{ stream: string; mac: string | null }>('SELECT stream, mac FROM streams', [])
      const streams = found.map(({ stream, mac }) => ({ stream: fromPgText(stream), mac }))
      return new Set(streams.flatMap(({ stream, mac }) => (mac === textOf(macs.stream(stream)) ? [stream] : [])))
    },

    async events(run, after, limit) {
      const found = await queries.all<{ seq: number; body: string; mac: string | null }>(
        'SELECT seq, body, mac FROM events WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3',
        [pgText(run), after, size(limit)],
      )
      return found.map(({ seq, body, mac }) => {
        const what = `event ${seq} of \`${run}\``
        if (mac === textOf(macs.event(run, seq, body))) return { seq, event: parsed<RunEvent>(body, what) }
        onForged({ table: 'events', id: `${run}/${seq}` })
        throw new Bug(`${what} was not written by this gate`)
      })
    },

    async due(now, limit, after) {
      const found = await queries.all<{ run: string; at: number }>(
        'SELECT run, at FROM wakes WHERE at <= $1 AND (at, run) > ($2, $3) ORDER BY at, run LIMIT $4',
        [now, after?.at ?? -1, pgText(after?.run ?? ''), size(limit)],
      )
      return found.map(({ run, at }) => ({ run: fromPgText(run) as RunId, at }))
    },

    async nextDue(now) {
      const [next] = await queries.all<{ at: number | null }>('SELECT min(at) AS at FROM wakes WHERE at > $1', [now])
      return next?.at ?? undefined
    },
  }
}

/** Streams of a release whose heads had no MAC; no node of this one continues them (boots.ts). */
const hasNoMac = (stream: string): boolean => stream.startsWith('node-')

const textOf = (mac: Uint8Array): string => Buffer.from(mac).toString('base64')

/**
 * INVARIANT: names that become SQL are our own names. A filter without a value would list everything, so it is a bug. `from`: the
 * number of the first value's parameter.
 */
function filter(table: Table, where: Readonly<Record<string, unknown>>, from: number) {
  const fields = listedFields(table)
  const values: string[] = []
  const conditions = Object.entries(where).map(([field, value]) => {
    if (!fields.includes(field)) throw new Bug(`rows of \`${table}\` are not listed by \`${field}\``)
    if (typeof value !== 'string') throw new Bug(`\`${field}\` of a listing has no value`)
    const word = String(pgColumn(field, value))
    if (isWord(field, word)) return `"${field}" = '${word}'`
    values.push(word)
    return `"${field}" = $${from + values.length - 1}`
  })
  return { conditions, values }
}

const clause = (conditions: readonly string[]) => (conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`)

function known<T extends Table>(table: T): T {
  listedFields(table)
  return table
}

function size(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new Bug('a page has a limit')
  return limit
}
