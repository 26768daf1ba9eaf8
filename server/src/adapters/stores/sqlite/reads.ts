import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Bug } from '../../../kernel/contract/problems.ts'
import type { RunEvent } from '../../../kernel/contract/run.ts'
import type { Rows, Table } from '../../../kernel/ports/ledger.ts'
import type { Accounts, AuditReads, DueRun, Stored, Journal, Searches, Tables } from '../../../kernel/ports/reads.ts'
import { isKeyed, isUnindexed, listedFields } from '../listed.ts'
import { hasMac, isSameMac, type RowMacs } from '../row-mac.ts'
import { hashesIn, LINK, LINK_LENGTH, type StoredLink } from '../stored-links.ts'
import { entryOf, isListedBy, parsed, RESTRICTING, type OnForged, type StoredEntry } from '../stored-values.ts'
import { searchRows } from './searches.ts'
import { STREAM_LENGTH, startOfStream } from './streams.ts'
import { textKey } from '../text-key.ts'

export type Reads = Tables & Searches & Accounts & AuditReads & Omit<Journal, 'onWake'>

type Value = string | number

/**
 * Point reads and pages, on the calling thread: each takes microseconds and sees every commit that has returned. The event loop
 * may run between two large rows of a page. If the store cannot be read it rejects; a reader that needs a fact then has
 * `unknown`, never a default.
 * INVARIANT: no row, event or account without the right MAC is returned.
 */
export function reads(db: DatabaseSync, macs: RowMacs, onForged: OnForged): Reads {
  const cache = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const found = cache.get(sql) ?? db.prepare(sql)
    cache.set(sql, found)
    return found
  }

  const columns = (table: Table, body = 'body') =>
    `pos, id, version, ${body}, later${hasMac(known(table)) ? ', mac' : ''}`
  const withoutLarge = (table: Table) => columns(table, `iif(${IS_LARGE}, NULL, body) AS body`)

  /** The row, if this gate wrote it. Otherwise it is reported. */
  const ours = <T extends Table>(table: T, stored: RawRow): Stored<T>[] => {
    const { id, version, body, later, mac } = stored
    if (!hasMac(table) || isSameMac(mac, macs.row(table, id, version, body, later))) return [rowOf(table, stored)]
    onForged({ table, id })
    if (RESTRICTING.has(table)) throw new Bug(`row \`${id}\` of \`${table}\` was not written by this gate`)
    return []
  }

  /** A row that is too large to be read together with others. */
  const large = async <T extends Table>(table: T, pos: number): Promise<Stored<T>[]> => {
    await setImmediate()
    return ours(table, prepared(`SELECT ${columns(table)} FROM ${table} WHERE pos = ?`).get(pos) as RawRow)
  }

  const all: Reads = {
    async row(table, id) {
      const stored = prepared(`SELECT ${columns(table)} FROM ${table} WHERE id = ?`).get(id) as RawRow | undefined
      return stored === undefined ? undefined : ours(table, stored)[0]
    },

    async list(table, where, { limit, after, newest_first = false }) {
      const { conditions, values } = filter(table, where)
      const order = newest_first ? 'DESC' : 'ASC'
      const page: Stored<typeof table>[] = []
      let cursor = after
      // Forged rows are left out, and the page is filled with what follows them: a short page means that there are no more.
      for (;;) {
        const beyond = cursor === undefined ? [] : [newest_first ? 'pos < ?' : 'pos > ?']
        const wanted = size(limit) - page.length
        const found = prepared(
          `SELECT ${withoutLarge(table)} FROM ${table} ${clause([...conditions, ...beyond])} ORDER BY pos ${order} LIMIT ?`,
        ).all(...values, ...(cursor === undefined ? [] : [cursor]), wanted) as Listed[]
        for (const { body, ...rest } of found) {
          const held = body === null ? await large(table, rest.pos) : ours(table, { ...rest, body })
          // A large row may have changed since it was found, and a column is not covered by the MAC: the row's own field counts.
          page.push(...held.filter(({ row }) => isListedBy(row, where)))
        }
        cursor = found.at(-1)?.pos
        if (found.length < wanted || page.length >= limit) return page
      }
    },

    async count(table, where) {
      const { conditions, values } = filter(table, where)
      const sql = `SELECT count(*) AS n FROM ${table} ${clause(conditions)}`
      return (prepared(sql).get(...values) as { n: number }).n
    },

    async search(table, where, page) {
      size(page.limit)
      const { items, ...next } = searchRows(prepared, table, where, page)
      const sql = `SELECT ${withoutLarge(table)} FROM ${table} WHERE pos = ?`
      const rows: Stored<typeof table>[] = []
      for (const pos of items) {
        const { body, ...rest } = prepared(sql).get(pos) as Listed
        rows.push(...(body === null ? await large(table, pos) : ours(table, { ...rest, body })))
      }
      return { items: rows, ...next }
    },

    async left(account) {
      // Nothing is left of an account that somebody else wrote. After many returns, an account can have more than a double can
      // represent: then at least this much is left.
      const sql = `SELECT min(units, ${Number.MAX_SAFE_INTEGER}) AS units, CAST(units AS TEXT) AS whole, until, mac FROM accounts WHERE id = ?`
      const found = prepared(sql).get(account) as StoredAccount | undefined
      if (found === undefined) return undefined
      if (isSameMac(found.mac, macs.account(account, BigInt(found.whole), found.until))) return found.units
      onForged({ table: 'accounts', id: account })
      return 0
    },

    async entries(stream, from, limit) {
      const start = startOfStream(prepared, stream)
      if (start === undefined) return []
      const found = prepared(
        'SELECT place, hash, body FROM audit WHERE place >= ? AND place < ? ORDER BY place LIMIT ?',
      ).all(start + from, start + STREAM_LENGTH, size(limit)) as (StoredEntry & { readonly place: number })[]
      return found.map((stored) => entryOf(stream, stored.place - start, stored))
    },

    async naming(id, stream, from, count) {
      const start = startOfStream(prepared, stream)
      if (start === undefined) return []
      const first = start + from
      const found = prepared(
        'SELECT place, hash, body FROM audit WHERE place >= ? AND place < ? AND (place = ? OR instr(body, ?) > 0) ORDER BY place',
      ).all(first, Math.min(first + size(count), start + STREAM_LENGTH), first, id) as (StoredEntry & {
        readonly place: number
      })[]
      return found.map((stored) => entryOf(stream, stored.place - start, stored))
    },

    async namingNewest(id, count) {
      return Promise.all(
        (await all.heads()).map(async ({ stream, seq }) => {
          const from = Math.max(1, seq - size(count) + 1)
          return { stream, seq, entries: await all.naming(id, stream, from, seq - from + 1) }
        }),
      )
    },

    async linkedHashes(stream, from, head, limit) {
      const start = startOfStream(prepared, stream)
      if (start === undefined) return []
      const sql = `SELECT place - ? AS seq, hash, substr(body, instr(body, '${LINK}'), ${LINK_LENGTH}) AS link FROM audit
        WHERE place >= ? AND place < ? ORDER BY place LIMIT ?`
      const found = prepared(sql).all(start, start + from, start + STREAM_LENGTH, size(limit)) as StoredLink[]
      return hashesIn(found, from, head)
    },

    async heads() {
      const found = prepared('SELECT * FROM heads ORDER BY stream').all() as (HeadRow & { mac?: unknown })[]
      return found.map(({ stream, seq, hash, mac }) => {
        // Heads of a store that was not migrated yet have no column for it.
        const isOurs = mac === undefined || isSameMac(mac, macs.head(stream, seq, hash))
        return { stream, seq, hash, ...(isOurs ? {} : { forged: true }) }
      })
    },

    async events(run, after, limit) {
      const sql = 'SELECT seq, body, mac FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?'
      const found = prepared(sql).all(run, after, size(limit)) as { seq: number; body: string; mac: unknown }[]
      return found.map(({ seq, body, mac }) => {
        const what = `event ${seq} of \`${run}\``
        if (isSameMac(mac, macs.event(run, seq, body))) return { seq, event: parsed<RunEvent>(body, what) }
        onForged({ table: 'events', id: `${run}/${seq}` })
        throw new Bug(`${what} was not written by this gate`)
      })
    },

    async due(now, limit, after) {
      const sql = 'SELECT run, at FROM wakes WHERE at <= ? AND (at, run) > (?, ?) ORDER BY at, run LIMIT ?'
      return prepared(sql).all(now, after?.at ?? -1, after?.run ?? '', size(limit)) as DueRun[]
    },

    async nextDue(now) {
      const next = prepared('SELECT min(at) AS at FROM wakes WHERE at > ?').get(now) as { at: number | null }
      return next.at ?? undefined
    },
  }
  return all
}

/** `later`: the fields in which the second version differs from the first. */
type RawRow = { pos: number; id: string; version: number; body: string; later: string | null; mac?: unknown }
type Listed = Omit<RawRow, 'body'> & { body: string | null }
type StoredAccount = { units: number; whole: string; until: number | null; mac: unknown }

/** A page of rows below this size is read within milliseconds. In bytes, because SQLite knows these without reading the text. */
const IS_LARGE = '(octet_length(body) + ifnull(octet_length(later), 0) > 16384)'

/** Only used by `ours`: nothing else checks the MAC. */
function rowOf<T extends Table>(table: T, { pos, version, body, later }: RawRow): Stored<T> {
  const what = `row ${pos} of \`${table}\``
  const first = parsed<Rows[T]>(body, what)
  return { version, row: later === null ? first : { ...first, ...parsed<object>(later, what) }, cursor: pos }
}

type HeadRow = { stream: string; seq: number; hash: string }

/** INVARIANT: names that become SQL are our own names. A filter without a value would list everything, so it is a bug. */
function filter(table: Table, where: Readonly<Record<string, unknown>>): { conditions: string[]; values: Value[] } {
  const fields = listedFields(table)
  const conditions: string[] = []
  const values: Value[] = []
  for (const [field, value] of Object.entries(where)) {
    if (!fields.includes(field)) throw new Bug(`rows of \`${table}\` are not listed by \`${field}\``)
    if (typeof value !== 'string') throw new Bug(`\`${field}\` of a listing has no value`)
    const isAbsent = isUnindexed(table, field, value)
    if (isAbsent) conditions.push(`${field} IS NULL`)
    else {
      conditions.push(`${field} = ?`)
      values.push(isKeyed(field) ? textKey(value) : value)
    }
    if (!isAbsent && !isKeyed(field)) continue
    const same = `coalesce(later ->> '${field}', body ->> '${field}') = ?`
    // Parsing the JSON of a large row takes long; it is compared after it was read.
    conditions.push(isKeyed(field) ? `(${IS_LARGE} OR ${same})` : same)
    values.push(value)
  }
  return { conditions, values }
}

const clause = (conditions: readonly string[]) => (conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`)

function known<T extends Table>(table: T): T {
  listedFields(table)
  return table
}

/** SQLite treats a negative limit as none. */
function size(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new Bug('a page has a limit')
  return limit
}
