import { appendFileSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

/**
 * A writing thread that also keeps a copy of the disk as the worst power failure would leave it: after each COMMIT that waited for its
 * fsync the files are copied, after the others they are not.
 */
const { file } = workerData as { readonly file: string }
const disk = join(dirname(file), '..', 'disk')
mkdirSync(disk, { recursive: true })

const FULL = 2
let copies = 0
function keep(db: DatabaseSync): void {
  if (db.prepare('PRAGMA synchronous').get()?.['synchronous'] !== FULL) return appendFileSync(`${disk}.unsynced`, '.')
  // The process may be killed at any point of this: a copy counts once it has its number.
  const fresh = `${disk}.fresh`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh)
  for (const one of [file, `${file}-wal`]) if (existsSync(one)) copyFileSync(one, join(fresh, basename(one)))
  copies += 1
  renameSync(fresh, join(disk, String(copies)))
  rmSync(join(disk, String(copies - 1)), { recursive: true, force: true })
}

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest)
  if (sql !== 'COMMIT') return statement
  const { run } = statement
  statement.run = () => {
    const done = run.call(statement, {})
    keep(this)
    return done
  }
  return statement
}

await import('../../src/adapters/stores/sqlite/worker.ts')
