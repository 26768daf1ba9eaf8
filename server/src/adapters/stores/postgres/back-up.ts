import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ok, refuse, type Result, Bug } from '../../../kernel/contract/problems.ts'
import type { PackedFile } from '../packed-file.ts'
import { rowMacs, hasMac, type RowMacs } from '../row-mac.ts'
import { defineMacFunctions } from '../sqlite/mac-functions.ts'
import { migrate } from '../sqlite/schema.ts'
import type { PostgresSettings } from '../store-engine.ts'
import { connect, messageOf, unreachable } from './connect.ts'
import type { Client } from 'pg'
import type { Table } from '../../../kernel/ports/ledger.ts'
import { TABLES, tableColumns } from '../listed.ts'
import type { StoredRecord, Copied } from '../stored-record.ts'
import { totalsIn } from './once-keys.ts'
import { fromPgText } from './pg-text.ts'
import { COPIED_KEYS, NO_KEYS, withKey } from '../once-sum.ts'
import { STREAM_LENGTH } from '../sqlite/streams.ts'

/** Writes a snapshot of a schema into a new embedded ledger, while gates keep running. Its artifacts are returned as files. */
export async function backUpDatabase(
  from: PostgresSettings,
  toFile: string,
  key: string,
): Promise<Result<readonly PackedFile[]>> {
  let client
  try {
    client = await connect(from, 'backup', { query_timeout: 0 })
  } catch (error) {
    return unreachable(from, error)
  }
  const files: PackedFile[] = []
  try {
    closeSync(openSync(toFile, 'wx', 0o600))
    const macs = rowMacs(key)
    const db = new DatabaseSync(toFile)
    try {
      defineMacFunctions(db, macs)
      const migrated = migrate(db)
      if (!migrated.ok) return migrated
      await fillLedger(db, macs, dumpStore(client, macs), ({ shelf, digest, body }) =>
        files.push({ path: `artifacts/${shelf}/${digest}`, mode: 0o600, bytes: body ?? new Uint8Array() }),
      )
    } finally {
      db.close()
    }
    return ok(files)
  } catch (error) {
    return refuse('backup.not_written', { file: toFile, why: messageOf(error) })
  } finally {
    await client.end().catch(() => undefined)
  }
}

type Row = Readonly<Record<string, unknown>>
const AT_ONCE = 500
const textOf = (mac: Uint8Array): string => Buffer.from(mac).toString('base64')

/**
 * Everything in a schema, from one snapshot, while gates keep running.
 * INVARIANT: nothing without the right MAC is returned; a store with a forged row is not copied at all.
 */
async function* dumpStore(client: Client, macs: RowMacs): AsyncGenerator<StoredRecord> {
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

/** Fills a new, migrated ledger, all or nothing. Artifacts are files and not part of it. */
async function fillLedger(
  db: DatabaseSync,
  macs: RowMacs,
  records: AsyncIterable<StoredRecord>,
  onArtifact: (record: Extract<StoredRecord, { is: 'artifact' }>) => void,
): Promise<Copied> {
  const copied = { row: 0, once: 0, account: 0, event: 0, wake: 0, entry: 0, head: 0, artifact: 0 }
  const streams = new Map<string, number>()
  const startOf = (stream: string): number => {
    const known = streams.get(stream)
    if (known !== undefined) return known
    const { lastInsertRowid } = db.prepare('INSERT INTO streams (stream) VALUES (?)').run(stream)
    const start = (Number(lastInsertRowid) - 1) * STREAM_LENGTH
    streams.set(stream, start)
    return start
  }
  let keys = NO_KEYS
  db.exec('BEGIN IMMEDIATE')
  try {
    for await (const record of records) {
      copied[record.is] += 1
      if (record.is === 'once') keys = withKey(keys, macs.once(record.key, record.until).term)
      if (record.is === 'artifact') onArtifact(record)
      else put(db, macs, record, startOf)
    }
    const { masked, mac } = macs.sealSum(COPIED_KEYS, keys)
    db.prepare('INSERT INTO once_sums (stream, n, masked, mac) VALUES (?, ?, ?, ?)').run(
      COPIED_KEYS,
      keys.n,
      masked,
      mac,
    )
    db.exec('COMMIT')
    return copied
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

function put(
  db: DatabaseSync,
  macs: RowMacs,
  record: Exclude<StoredRecord, { is: 'artifact' }>,
  startOf: (stream: string) => number,
): void {
  switch (record.is) {
    case 'row': {
      const { table, id, version, text } = record
      const row = JSON.parse(text) as Record<string, unknown>
      const columns = tableColumns(table)
      const mac = hasMac(table) ? [macs.row(table, id, version, text, null)] : []
      const names = ['id', 'version', 'body', ...(hasMac(table) ? ['mac'] : []), ...columns.map(({ field }) => field)]
      const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
      db.prepare(sql).run(id, version, text, ...mac, ...columns.map(({ raw, stored }) => stored(raw(row))))
      return
    }
    case 'once':
      db.prepare('INSERT INTO once (key, until, mac) VALUES (?, ?, ?)').run(
        record.key,
        record.until,
        macs.once(record.key, record.until).mac,
      )
      return
    case 'account': {
      const { id, units, until } = record
      const sql = 'INSERT INTO accounts (id, units, until, mac) VALUES (?, ?, ?, ?)'
      db.prepare(sql).run(id, units, until, macs.account(id, units, until))
      return
    }
    case 'event': {
      const { run, seq, text } = record
      const sql = 'INSERT INTO events (run, seq, body, mac) VALUES (?, ?, ?, ?)'
      db.prepare(sql).run(run, seq, text, macs.event(run, seq, text))
      return
    }
    case 'wake':
      db.prepare('INSERT INTO wakes (run, at) VALUES (?, ?)').run(record.run, record.at)
      return
    case 'entry': {
      const { stream, seq, hash, text } = record
      db.prepare('INSERT INTO audit (place, hash, body) VALUES (?, ?, ?)').run(startOf(stream) + seq, hash, text)
      return
    }
    case 'head': {
      const { stream, seq, hash } = record
      const sql = 'INSERT INTO heads (stream, seq, hash, mac) VALUES (?, ?, ?, ?)'
      db.prepare(sql).run(stream, seq, hash, macs.head(stream, seq, hash))
      return
    }
    default:
      record satisfies never
  }
}
