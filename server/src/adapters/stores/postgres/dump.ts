import type { Client } from 'pg'
import { Bug } from '../../../kernel/contract/problems.ts'
import type { Table } from '../../../kernel/ports/ledger.ts'
import { TABLES } from '../listed.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'
import type { StoredRecord } from '../stored-record.ts'
import { totalsIn } from './once-keys.ts'
import { fromPgText } from './pg-text.ts'

type Row = Readonly<Record<string, unknown>>
const AT_ONCE = 500
const textOf = (mac: Uint8Array): string => Buffer.from(mac).toString('base64')

/**
 * Everything in a schema, from one snapshot, while gates keep running.
 * INVARIANT: nothing without the right MAC is returned; a store with a forged row is not copied at all.
 */
export async function* dumpStore(client: Client, macs: RowMacs): AsyncGenerator<StoredRecord> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  // The consumer of the records may take a while per page.
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  try {
    for (const table of TABLES) yield* dumpRows(client, table, macs)
    for await (const row of pages(client, 'SELECT key, until, mac FROM once')) {
      const [key, until] = [fromPgText(String(row['key'])), Number(row['until'])]
      // Keys of earlier releases have none.
      if (row['mac'] !== null) check(row['mac'], macs.once(key, until).mac, `single-use key \`${key}\``)
      yield { is: 'once', key, until }
    }
    if (!(await totalsIn(client, macs, () => undefined)).isWhole()) throw new Bug('single-use keys are missing')
    for await (const row of pages(client, 'SELECT id, units::text AS units, until, mac FROM accounts')) {
      const [id, units] = [fromPgText(String(row['id'])), BigInt(String(row['units']))]
      const until = row['until'] === null ? null : Number(row['until'])
      check(row['mac'], macs.account(id, units, until), `account \`${id}\``)
      yield { is: 'account', id, units, until }
    }
    for await (const row of pages(client, 'SELECT run, seq, body, mac FROM events ORDER BY run, seq')) {
      const [run, seq, text] = [fromPgText(String(row['run'])), Number(row['seq']), String(row['body'])]
      check(row['mac'], macs.event(run, seq, text), `event ${seq} of \`${run}\``)
      yield { is: 'event', run, seq, text }
    }
    for await (const { run, at } of pages(client, 'SELECT run, at FROM wakes'))
      yield { is: 'wake', run: fromPgText(String(run)), at: Number(at) }
    const entries = 'SELECT s.stream, a.seq, a.hash, a.body FROM audit a JOIN streams s ON s.number = a.stream'
    for await (const { stream, seq, hash, body } of pages(client, `${entries} ORDER BY a.stream, a.seq`))
      yield {
        is: 'entry',
        stream: fromPgText(String(stream)),
        seq: Number(seq),
        hash: String(hash),
        text: String(body),
      }
    for await (const { stream, seq, hash } of pages(client, 'SELECT stream, seq, hash FROM heads'))
      yield { is: 'head', stream: fromPgText(String(stream)), seq: Number(seq), hash: String(hash) }
    for await (const row of pages(client, 'SELECT shelf, digest, body, stored_at FROM artifacts', 5))
      yield {
        is: 'artifact',
        shelf: String(row['shelf']),
        digest: String(row['digest']),
        body: row['body'] as Buffer | null,
        stored_at: Number(row['stored_at']),
      }
  } finally {
    await client.query('COMMIT')
  }
}

async function* dumpRows(client: Client, table: Table, macs: RowMacs): AsyncGenerator<StoredRecord> {
  for await (const row of pages(client, `SELECT id, version, body, mac FROM ${table} ORDER BY pos`)) {
    const [id, version, text] = [fromPgText(String(row['id'])), Number(row['version']), String(row['body'])]
    if (hasMac(table)) check(row['mac'], macs.row(table, id, version, text, null), `row \`${id}\` of \`${table}\``)
    yield { is: 'row', table, id, version, text }
  }
}

/** Page by page, so that memory does not grow with the store. */
async function* pages(client: Client, sql: string, size = AT_ONCE): AsyncGenerator<Row> {
  await client.query(`DECLARE page NO SCROLL CURSOR FOR ${sql}`)
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${size} FROM page`)
    yield* rows
    if (rows.length < size) break
  }
  await client.query('CLOSE page')
}

function check(stored: unknown, wanted: Uint8Array, what: string): void {
  if (stored !== textOf(wanted)) throw new Bug(`${what} was not written by this gate`)
}
