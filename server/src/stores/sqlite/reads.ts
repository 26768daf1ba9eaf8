import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { AuditEntry } from '../../contract/audit.ts'
import { Bug } from '../../contract/problems.ts'
import type { RunEvent } from '../../contract/run.ts'
import type { Rows, Table } from '../../commands/ports/ledger.ts'
import type { Accounts, AuditReads, DueRun, Held, Journal, Searches, Shelves } from '../../commands/ports/reads.ts'
import { isKeyed, isUnindexed, listedFields } from './listed.ts'
import { searchRows } from './searches.ts'
import { STREAM_LENGTH, startOfStream } from './streams.ts'
import { textKey } from './text-key.ts'

export type Reads = Shelves & Searches & Accounts & AuditReads & Omit<Journal, 'onWake'>

type Value = string | number

/**
 * Point reads and pages, on the thread that asks: each takes microseconds and sees every commit that has returned. Between two large
 * rows of a page everybody else has their turn.
 * A store that cannot be read rejects; a reader that needs a fact then has `unknown`, never a default.
 */
export function reads(db: DatabaseSync): Reads {
  const cache = new Map<string, StatementSync>()
  const prepared = (sql: string): StatementSync => {
    const found = cache.get(sql) ?? db.prepare(sql)
    cache.set(sql, found)
    return found
  }

  /** A row that is too large to be read together with others. It may have changed since it was found. */
  const large = async <T extends Table>(table: T, pos: number, where: Filter = {}): Promise<Held<T>[]> => {
    await setImmediate()
    const stored = prepared(`SELECT pos, version, body, later FROM ${table} WHERE pos = ?`).get(pos) as Stored
    const one = held(table, stored)
    return fits(one.row, where) ? [one] : []
  }

  return {
    async row(table, id) {
      const stored = prepared(`SELECT pos, version, body, later FROM ${known(table)} WHERE id = ?`).get(id) as
        Stored | undefined
      return stored === undefined ? undefined : held(table, stored)
    },

    async list(table, where, { limit, after, newest_first = false }) {
      const { conditions, values } = filter(table, where)
      const order = newest_first ? 'DESC' : 'ASC'
      const page: Held<typeof table>[] = []
      let cursor = after
      for (;;) {
        const beyond = cursor === undefined ? [] : [newest_first ? 'pos < ?' : 'pos > ?']
        const wanted = size(limit) - page.length
        const found = prepared(
          `SELECT pos, version, iif(${IS_LARGE}, NULL, body) AS body, later FROM ${table} ${clause([...conditions, ...beyond])} ORDER BY pos ${order} LIMIT ?`,
        ).all(...values, ...(cursor === undefined ? [] : [cursor]), wanted) as Listed[]
        for (const { pos, version, body, later } of found) {
          if (body !== null) page.push(held(table, { pos, version, body, later }))
          else page.push(...(await large(table, pos, where)))
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
      const sql = `SELECT pos, version, iif(${IS_LARGE}, NULL, body) AS body, later FROM ${known(table)} WHERE pos = ?`
      const rows: Held<typeof table>[] = []
      for (const pos of items) {
        const { body, ...rest } = prepared(sql).get(pos) as Listed
        if (body !== null) rows.push(held(table, { ...rest, body }))
        else rows.push(...(await large(table, pos)))
      }
      return { items: rows, ...next }
    },

    async left(account) {
      // Given back often enough, an account can hold more than a double: then at least this much is left.
      const sql = `SELECT min(units, ${Number.MAX_SAFE_INTEGER}) AS units FROM accounts WHERE id = ?`
      return (prepared(sql).get(account) as { units: number } | undefined)?.units
    },

    async entries(stream, from, limit) {
      const start = startOfStream(prepared, stream)
      if (start === undefined) return []
      const found = prepared(
        'SELECT place, hash, body FROM audit WHERE place >= ? AND place < ? ORDER BY place LIMIT ?',
      ).all(start + from, start + STREAM_LENGTH, size(limit)) as StoredEntry[]
      return found.map((stored) => entryOf(stream, stored.place - start, stored))
    },

    async heads() {
      const found = prepared('SELECT stream, seq, hash FROM heads ORDER BY stream').all() as HeadRow[]
      return found.map(({ stream, seq, hash }) => ({ stream, seq, hash }))
    },

    async events(run, after, limit) {
      const found = prepared('SELECT seq, body FROM events WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?').all(
        run,
        after,
        size(limit),
      ) as { seq: number; body: string }[]
      return found.map(({ seq, body }) => ({ seq, event: parsed<RunEvent>(body, `event ${seq} of \`${run}\``) }))
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
}

/** `later`: the fields in which the second version differs from the first. */
type Stored = { pos: number; version: number; body: string; later: string | null }
type Listed = Omit<Stored, 'body'> & { body: string | null }

/** A page of rows below this size is read within milliseconds. Bytes, because SQLite knows these without reading the text. */
const IS_LARGE = '(octet_length(body) + ifnull(octet_length(later), 0) > 16384)'

type Filter = Readonly<Record<string, unknown>>
const fits = (row: object, where: Filter): boolean =>
  Object.entries(where).every(([field, value]) => (row as Readonly<Record<string, unknown>>)[field] === value)

function held<T extends Table>(table: T, { pos, version, body, later }: Stored): Held<T> {
  const what = `row ${pos} of \`${table}\``
  const first = parsed<Rows[T]>(body, what)
  return { version, row: later === null ? first : { ...first, ...parsed<object>(later, what) }, cursor: pos }
}

function parsed<T>(body: string, what: string): T {
  try {
    return JSON.parse(body) as T
  } catch (cause) {
    throw new Bug(`${what} is not JSON`, { cause })
  }
}

type HeadRow = { stream: string; seq: number; hash: string }
type StoredEntry = { place: number; hash: string; body: string }

/**
 * An entry as it is stored. One whose text is not an object any more keeps its place and its stored hash under the type
 * `unreadable`; no previous hash fits it, so it can never pass for a link of the chain.
 */
function entryOf(stream: string, seq: number, { hash, body }: StoredEntry): AuditEntry {
  const kept = objectOf(body)
  if (kept !== undefined) return { ...(kept as AuditEntry), hash }
  return { v: 1, stream, seq, prev_hash: '', hash, at: 0, type: 'unreadable', actor: '', trace: '', subject: {} }
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** INVARIANT: names that become SQL are names of ours. A filter without a value would list everything, so it is a bug. */
function filter(table: Table, where: Filter): { conditions: string[]; values: Value[] } {
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
    // Reading the JSON of a large row takes long; it is compared after it was read.
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

/** SQLite reads a negative limit as none. */
function size(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new Bug('a page has a limit')
  return limit
}
