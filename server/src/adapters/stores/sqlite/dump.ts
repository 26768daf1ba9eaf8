import type { DatabaseSync } from 'node:sqlite'
import { Bug } from '../../../kernel/contract/problems.ts'
import type { Table } from '../../../kernel/ports/ledger.ts'
import { TABLES } from '../listed.ts'
import { hasMac, isSameMac, type RowMacs } from '../row-mac.ts'
import type { StoredRecord } from '../stored-record.ts'
import { totalsIn } from './once-keys.ts'
import { STREAM_LENGTH } from './streams.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Everything in an embedded ledger, from one snapshot.
 * INVARIANT: nothing without the right MAC is returned; a ledger with a forged row is not copied at all.
 */
export function* dumpLedger(db: DatabaseSync, macs: RowMacs): Generator<StoredRecord> {
  db.exec('BEGIN')
  try {
    for (const table of TABLES) yield* dumpRows(db, table, macs)
    for (const row of all(db, 'SELECT key, until, mac FROM once')) {
      const [key, until] = [String(row['key']), Number(row['until'])]
      check(row['mac'], macs.once(key, until).mac, `single-use key \`${key}\``)
      yield { is: 'once', key, until }
    }
    if (!totalsIn(db, macs, () => undefined).isWhole()) throw new Bug('single-use keys are missing')
    for (const row of all(db, 'SELECT id, CAST(units AS TEXT) AS units, until, mac FROM accounts')) {
      const [id, units] = [String(row['id']), BigInt(String(row['units']))]
      const until = row['until'] === null ? null : Number(row['until'])
      check(row['mac'], macs.account(id, units, until), `account \`${id}\``)
      yield { is: 'account', id, units, until }
    }
    for (const row of all(db, 'SELECT run, seq, body, mac FROM events ORDER BY run, seq')) {
      const [run, seq, text] = [String(row['run']), Number(row['seq']), String(row['body'])]
      check(row['mac'], macs.event(run, seq, text), `event ${seq} of \`${run}\``)
      yield { is: 'event', run, seq, text }
    }
    for (const { run, at } of all(db, 'SELECT run, at FROM wakes'))
      yield { is: 'wake', run: String(run), at: Number(at) }
    for (const { number, stream } of all(db, 'SELECT number, stream FROM streams ORDER BY number')) {
      const start = (Number(number) - 1) * STREAM_LENGTH
      const range = `WHERE place > ${start} AND place <= ${start + STREAM_LENGTH} ORDER BY place`
      for (const { place, hash, body } of all(db, `SELECT place, hash, body FROM audit ${range}`))
        yield {
          is: 'entry',
          stream: String(stream),
          seq: Number(place) - start,
          hash: String(hash),
          text: String(body),
        }
    }
    for (const { stream, seq, hash } of all(db, 'SELECT stream, seq, hash FROM heads'))
      yield { is: 'head', stream: String(stream), seq: Number(seq), hash: String(hash) }
  } finally {
    db.exec('COMMIT')
  }
}

function* dumpRows(db: DatabaseSync, table: Table, macs: RowMacs): Generator<StoredRecord> {
  const mac = hasMac(table) ? ', mac' : ''
  for (const row of all(db, `SELECT id, version, body, later${mac} FROM ${table} ORDER BY pos`)) {
    const [id, version, body] = [String(row['id']), Number(row['version']), String(row['body'])]
    const later = typeof row['later'] === 'string' ? row['later'] : null
    if (hasMac(table)) check(row['mac'], macs.row(table, id, version, body, later), `row \`${id}\` of \`${table}\``)
    const text =
      later === null ? body : JSON.stringify({ ...(JSON.parse(body) as object), ...(JSON.parse(later) as object) })
    yield { is: 'row', table, id, version, text }
  }
}

const all = (db: DatabaseSync, sql: string): Iterable<Row> => db.prepare(sql).iterate() as Iterable<Row>

function check(stored: unknown, wanted: Uint8Array, what: string): void {
  if (!isSameMac(stored, wanted)) throw new Bug(`${what} was not written by this gate`)
}
