import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { artifactBytes } from './artifact-bytes.ts'
import { FUNCTIONS } from './postgres/functions.ts'
import { connect as connectPostgres, messageOf, unreachable } from './postgres/connect.ts'
import { fillStore } from './postgres/fill.ts'
import { migrate } from './postgres/schema.ts'
import { rowMacs } from './row-mac.ts'
import { sealEvent, sealRow } from './seal-store.ts'
import { connectForReads } from './sqlite/connect.ts'
import { dumpLedger } from './sqlite/dump.ts'
import { ledgerFile, ledgerFiles } from './sqlite/ledger-file.ts'
import type { PostgresSettings, Sealer } from './store-engine.ts'
import type { Copied, StoredRecord } from './stored-record.ts'

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
