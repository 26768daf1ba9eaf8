import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import type { PackedFile } from '../packed-file.ts'
import { rowMacs } from '../row-mac.ts'
import { defineMacFunctions } from '../sqlite/mac-functions.ts'
import { fillLedger } from '../sqlite/fill.ts'
import { migrate } from '../sqlite/schema.ts'
import type { PostgresSettings } from '../store-engine.ts'
import { connect, messageOf, unreachable } from './connect.ts'
import { dumpStore } from './dump.ts'

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
