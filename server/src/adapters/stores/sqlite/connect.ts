import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { primaryCode, SQLITE } from './sqlite-error.ts'

/** For measurements and tests: production uses `PRODUCT`. */
export type SqliteTuning = {
  /** The most commits per transaction. */
  readonly group: number
  readonly synchronous: 'FULL' | 'OFF'
  /** How long a writer waits for another process before the group is given up. */
  readonly busy_ms: number
  /** The most pages the file may have: simulates a disk of a known size. */
  readonly max_pages?: number
}
export const PRODUCT: SqliteTuning = { group: 512, synchronous: 'FULL', busy_ms: 10_000 }

/**
 * A connection that may write.
 * INVARIANT: never creates the file. A missing ledger must stay an error; an empty one in its place would accept calls whose
 * history is lost.
 */
export function connect(file: string, tuning: SqliteTuning = PRODUCT): DatabaseSync {
  const address = pathToFileURL(file)
  address.searchParams.set('mode', 'rw')
  const db = new DatabaseSync(address, { timeout: tuning.busy_ms })
  try {
    db.exec(`PRAGMA busy_timeout = ${tuning.busy_ms}`)
    useWal(db, tuning.busy_ms)
    // Deleted content is overwritten with zeros, so that it is really gone from the file. Every COMMIT walks the whole cache, so
    // it is small: the ends of the trees, and room for what a group writes.
    db.exec(`
      PRAGMA synchronous = ${tuning.synchronous};
      PRAGMA fullfsync = ON;
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -4000;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA trusted_schema = OFF;`)
    if (tuning.max_pages !== undefined) db.exec(`PRAGMA max_page_count = ${tuning.max_pages}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** A connection for reads. The writer must be connected first: it owns the files beside the database. */
export function connectForReads(file: string): DatabaseSync {
  return new DatabaseSync(file, { readOnly: true, timeout: PRODUCT.busy_ms })
}

/** The change to WAL does not honor the busy timeout when several processes make it at once, so it waits here. */
function useWal(db: DatabaseSync, patience: number): void {
  const deadline = performance.now() + patience
  for (;;) {
    try {
      const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
      if (mode !== 'wal')
        throw new Error(`this file system cannot hold a write-ahead log (journal mode ${String(mode)})`)
      return
    } catch (error) {
      if (primaryCode(error) !== SQLITE.BUSY || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}
