import { DatabaseSync } from 'node:sqlite'
import type { PackedFile } from '../packed-file.ts'

const TABLE = 'backup_files'

/** Puts files into a copied ledger, so that one file contains everything that belongs together. */
export function pack(file: string, files: Iterable<PackedFile>): { readonly files: number } {
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
export function unpack(file: string, onFile: (packed: PackedFile) => void): { readonly files: number } | undefined {
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
