import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import { primaryCode, SQLITE } from './sqlite-error.ts'

export type FolderLock = { release(): void }

/** A command may hold the lock for a moment, to see whether a gate has it. */
const PATIENCE_MS = 500

/** Also held here: a lock whose holder was dropped must not end with the next garbage collection. */
const held = new Set<DatabaseSync>()

/**
 * One gate per data folder. The lock is the operating system's, through an open SQLite transaction that never writes, so it ends
 * with the process however that ends, and leaves nothing to clean up.
 */
export function lockFolder(folder: string): Result<FolderLock> {
  let db: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    db = new DatabaseSync(join(folder, 'gate.lock'), { timeout: PATIENCE_MS })
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    if (primaryCode(error) === SQLITE.BUSY) return refuse('gate.running', { folder })
    return refuse('data.unusable', { folder, why: error instanceof Error ? error.message : String(error) })
  }
  const lock = db
  held.add(lock)
  return ok({
    release() {
      if (held.delete(lock)) lock.close()
    },
  })
}
