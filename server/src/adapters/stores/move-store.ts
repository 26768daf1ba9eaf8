import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ok, refuse, type Result, Bug } from '../../kernel/contract/problems.ts'
import { artifactBytes } from './artifact-bytes.ts'
import { FUNCTIONS } from './postgres/functions.ts'
import { connect as connectPostgres, messageOf, unreachable } from './postgres/connect.ts'
import { migrate } from './postgres/schema.ts'
import { rowMacs, hasMac, isSameMac, type RowMacs } from './row-mac.ts'
import { sealEvent, sealRow } from './seal-store.ts'
import { connectForReads } from './sqlite/connect.ts'
import { ledgerFile, ledgerFiles } from './sqlite/ledger-file.ts'
import type { PostgresSettings, Sealer } from './store-engine.ts'
import type { Copied, StoredRecord } from './stored-record.ts'
import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../kernel/ports/ledger.ts'
import { TABLES, columnsOf, rawColumn, type Listed } from './listed.ts'
import { totalsIn } from './sqlite/once-keys.ts'
import { STREAM_LENGTH } from './sqlite/streams.ts'
import type { Client } from 'pg'
import { COPIED_KEYS, NO_KEYS, withKey } from './once-sum.ts'
import { writeSum } from './postgres/once-keys.ts'
import { pgColumn, pgText } from './postgres/pg-text.ts'

export type MoveSetup = {
  /** The data folder whose embedded store is copied. No gate may run on it. */
  readonly folder: string
  readonly to: PostgresSettings
  /** The key of the MACs: rows are checked before they are copied. */
  readonly key: string
  /** Seals contents that are not sealed yet while copying. */
  readonly sealer?: Sealer | undefined
}

/**
 * Copies an embedded store, with its artifacts, into an empty schema of a database.
 * INVARIANT: all or nothing, and the embedded store is unchanged.
 */
export async function moveStore({ folder, to, key, sealer }: MoveSetup): Promise<Result<Copied>> {
  const macs = rowMacs(key)
  let client
  try {
    client = await connectPostgres(to, 'move')
  } catch (error) {
    return unreachable(to, error)
  }
  const db = connectForReads(ledgerFile(folder))
  try {
    const migrated = await migrate(client, to.schema, FUNCTIONS)
    if (!migrated.ok) return migrated
    const used = await client.query(
      'SELECT 1 FROM heads UNION ALL SELECT 1 FROM calls UNION ALL SELECT 1 FROM runs LIMIT 1',
    )
    if (used.rows.length > 0) return refuse('store.not_empty', { schema: to.schema })
    return ok(await fillStore(client, macs, sealedRecords(recordsIn(db, macs, folder), sealer)))
  } catch (error) {
    return refuse('store.not_moved', { why: messageOf(error) })
  } finally {
    db.close()
    await client.end().catch(() => undefined)
  }
}

/** Prevents a gate from starting on the copied store by mistake. */
export function setAsideLedger(folder: string): void {
  for (const file of ledgerFiles(folder)) if (existsSync(file)) renameSync(file, `${file}.moved`)
}

function* recordsIn(db: ReturnType<typeof connectForReads>, macs: ReturnType<typeof rowMacs>, folder: string) {
  yield* dumpLedger(db, macs)
  yield* artifactFiles(join(folder, 'artifacts'))
}

function* artifactFiles(folder: string): Generator<StoredRecord> {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/^[0-9a-f]{64}$/.test(entry.name)) continue
    const file = join(entry.parentPath, entry.name)
    const shelf = entry.parentPath.slice(folder.length + 1)
    const body = readFileSync(file)
    const { mtimeMs } = statSync(file)
    yield { is: 'artifact', shelf, digest: entry.name, body: body.length === 0 ? null : body, stored_at: mtimeMs }
  }
}

function* sealedRecords(records: Iterable<StoredRecord>, sealer: Sealer | undefined): Generator<StoredRecord> {
  const bytes = artifactBytes(sealer)
  for (const record of records) yield sealer === undefined ? record : sealed(record, sealer, bytes)
}

function sealed(record: StoredRecord, sealer: Sealer, bytes: ReturnType<typeof artifactBytes>): StoredRecord {
  if (record.is === 'artifact' && record.body !== null) {
    const { shelf, digest, body } = record
    const text = bytes.decode(body, shelf, digest)
    return text === undefined ? record : { ...record, body: bytes.encode(Buffer.from(text, 'utf8'), shelf, digest) }
  }
  if (record.is !== 'row' && record.is !== 'event') return record
  const value = JSON.parse(record.text) as object
  if ('sealed' in value) return record
  const next =
    record.is === 'row' ? sealRow(sealer, record.table, record.id, value) : sealEvent(sealer, record.run, value)
  return { ...record, text: JSON.stringify(next) }
}

type Row = Readonly<Record<string, unknown>>

/**
 * Everything in an embedded ledger, from one snapshot.
 * INVARIANT: nothing without the right MAC is returned; a ledger with a forged row is not copied at all.
 */
function* dumpLedger(db: DatabaseSync, macs: RowMacs): Generator<StoredRecord> {
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

const textOf = (mac: Uint8Array): string => Buffer.from(mac).toString('base64')

/** Fills an empty schema, all or nothing. */
async function fillStore(
  client: Client,
  macs: RowMacs,
  records: AsyncIterable<StoredRecord> | Iterable<StoredRecord>,
): Promise<Copied> {
  const copied = { row: 0, once: 0, account: 0, event: 0, wake: 0, entry: 0, head: 0, artifact: 0 }
  let keys = NO_KEYS
  await client.query('BEGIN')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  try {
    for await (const record of records) {
      copied[record.is] += 1
      if (record.is === 'once') keys = withKey(keys, macs.once(record.key, record.until).term)
      await put(client, macs, record)
    }
    await writeSum(client, macs, COPIED_KEYS, keys)
    await client.query('COMMIT')
    return copied
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function put(client: Client, macs: RowMacs, record: StoredRecord): Promise<void> {
  const insert = async (table: string, values: Readonly<Record<string, Listed | bigint | Buffer>>) => {
    const names = Object.keys(values)
    const places = names.map((_, index) => `$${index + 1}`)
    const text = `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places.join(', ')})`
    await client.query({ name: `fill ${table}`, text, values: Object.values(values) })
  }
  switch (record.is) {
    case 'row': {
      const { table, id, version, text } = record
      const row = JSON.parse(text) as Record<string, unknown>
      const fields = columnsOf(table).map((field) => [field, pgColumn(field, rawColumn(table, field, row))] as const)
      const mac = hasMac(table) ? textOf(macs.row(table, id, version, text, null)) : null
      return insert(table, { id: pgText(id), version, body: text, mac, ...Object.fromEntries(fields) })
    }
    case 'once':
      return insert('once', {
        key: pgText(record.key),
        until: record.until,
        mac: textOf(macs.once(record.key, record.until).mac),
      })
    case 'account': {
      const { id, units, until } = record
      return insert('accounts', {
        id: pgText(id),
        units: String(units),
        until,
        mac: textOf(macs.account(id, units, until)),
      })
    }
    case 'event': {
      const { run, seq, text } = record
      return insert('events', { run: pgText(run), seq, body: text, mac: textOf(macs.event(run, seq, text)) })
    }
    case 'wake':
      return insert('wakes', { run: pgText(record.run), at: record.at })
    case 'entry': {
      const { stream, seq, hash, text } = record
      const mac = textOf(macs.stream(stream))
      if (seq === 1)
        await client.query('INSERT INTO streams (stream, mac) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
          pgText(stream),
          mac,
        ])
      await client.query({
        name: 'fill audit',
        text: 'INSERT INTO audit (stream, seq, hash, body) SELECT number, $2, $3, $4 FROM streams WHERE stream = $1',
        values: [pgText(stream), seq, hash, text],
      })
      return
    }
    case 'head':
      return insert('heads', {
        stream: pgText(record.stream),
        seq: record.seq,
        hash: record.hash,
        mac: textOf(macs.head(record.stream, record.seq, record.hash)),
      })
    case 'artifact': {
      const { shelf, digest, body, stored_at } = record
      return insert('artifacts', { shelf, digest, body, stored_at })
    }
    default:
      return record satisfies never
  }
}
