import { copyFileSync } from 'node:fs'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { StoreSettings } from './open-store.ts'
import type { PackedFile } from './packed-file.ts'
import { backUp } from './sqlite/back-up.ts'
import { isLedgerFile, ledgerFile } from './sqlite/ledger-file.ts'
import { DatabaseSync } from 'node:sqlite'

/**
 * Writes a consistent copy of the store and the given files into one new file. The gate may keep running. The files are read
 * after the store was copied, so that everything the copy refers to is among them. A database becomes an embedded store in the
 * file; `key` is that of its rows.
 */
export async function backUpStore(
  { folder, postgres }: StoreSettings,
  toFile: string,
  files: Iterable<PackedFile>,
  key: string,
): Promise<Result<{ readonly files: number }>> {
  if (postgres !== undefined) {
    const { backUpDatabase } = await import('./postgres/back-up.ts')
    const written = await backUpDatabase(postgres, toFile, key)
    return written.ok ? ok(pack(toFile, both(files, written.value))) : written
  }
  const copied = await backUp(ledgerFile(folder), toFile)
  return copied.ok ? ok(pack(toFile, files)) : copied
}

function* both(files: Iterable<PackedFile>, more: Iterable<PackedFile>): Generator<PackedFile> {
  yield* files
  yield* more
}

/** Creates a store from a backup and returns the files that were packed with it. Undefined if the file is not a backup. */
export async function restoreStore(
  fromFile: string,
  { folder }: StoreSettings,
  onFile: (packed: PackedFile) => void,
): Promise<{ readonly files: number } | undefined> {
  const file = ledgerFile(folder)
  copyFileSync(fromFile, file)
  return unpack(file, onFile)
}

/** Whether a file at the top of the data folder belongs to the store, so that a backup already contains it. */
export const isStoreFile = (name: string): boolean => isLedgerFile(name)

const TABLE = 'backup_files'

/** Puts files into a copied ledger, so that one file contains everything that belongs together. */
function pack(file: string, files: Iterable<PackedFile>): { readonly files: number } {
  const db = new DatabaseSync(file)
  try {
    db.exec(
      `PRAGMA journal_mode = DELETE; BEGIN; CREATE TABLE ${TABLE} (path TEXT PRIMARY KEY, mode INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT`,
    )
    const insert = db.prepare(`INSERT INTO ${TABLE} (path, mode, bytes) VALUES (?, ?, ?)`)
    let count = 0
    for (const { path, mode, bytes } of files) {
      insert.run(path, mode, bytes)
      count += 1
    }
    db.exec('COMMIT')
    return { files: count }
  } finally {
    db.close()
  }
}

/** Returns the packed files and restores the ledger. Undefined if it is not such a copy. */
function unpack(file: string, onFile: (packed: PackedFile) => void): { readonly files: number } | undefined {
  const db = new DatabaseSync(file)
  try {
    let count = 0
    for (const { path, mode, bytes } of db.prepare(`SELECT path, mode, bytes FROM ${TABLE} ORDER BY path`).iterate()) {
      if (typeof path !== 'string' || typeof mode !== 'number' || !(bytes instanceof Uint8Array)) return undefined
      onFile({ path, mode, bytes })
      count += 1
    }
    db.exec(`DROP TABLE ${TABLE}; VACUUM`)
    return { files: count }
  } catch {
    return undefined
  } finally {
    db.close()
  }
}
