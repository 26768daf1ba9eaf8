import { copyFileSync } from 'node:fs'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { StoreSettings } from './open-store.ts'
import type { PackedFile } from './packed-file.ts'
import { backUp } from './sqlite/back-up.ts'
import { isLedgerFile, ledgerFile } from './sqlite/ledger-file.ts'
import { pack, unpack } from './sqlite/pack.ts'

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
