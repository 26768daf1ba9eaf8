import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { backup } from 'node:sqlite'
import { refuse, ok, type Result } from '../../../kernel/contract/problems.ts'
import { connectForReads } from './connect.ts'

/** More pages than any database has, so that one step copies one snapshot and a busy gate cannot make it start again. */
const ALL_PAGES = 2 ** 31 - 1

/** Copies a ledger that is in use. The copy appears under its name only when it is complete and on disk. */
export async function backUp(file: string, toFile: string): Promise<Result<void>> {
  const part = `${toFile}.${process.pid}.part`
  if (existsSync(toFile)) return refuse('backup.exists', { file: toFile })
  try {
    // Private from the first byte; SQLite keeps the mode.
    closeSync(openSync(part, 'wx', 0o600))
    try {
      await copy(file, part)
      renameSync(part, toFile)
    } finally {
      rmSync(part, { force: true })
    }
    return ok(undefined)
  } catch (error) {
    return refuse('backup.not_written', { file: toFile, why: error instanceof Error ? error.message : String(error) })
  }
}

async function copy(file: string, part: string): Promise<void> {
  // Its own connection: the copy runs on another thread and would lock out the readers of a shared one.
  const source = connectForReads(file)
  try {
    await backup(source, part, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
  const written = openSync(part, 'r')
  try {
    fsyncSync(written)
  } finally {
    closeSync(written)
  }
}
