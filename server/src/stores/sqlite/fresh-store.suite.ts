import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openSqliteLedger, type SqliteSetup, type SqliteStore } from './open-sqlite-ledger.ts'

/** Folders that are gone after the test file. */
export function freshFolders(): () => string {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-ledger-'))
    folders.push(folder)
    return folder
  }
}

export async function openStore(file: string, setup: Partial<SqliteSetup> = {}): Promise<SqliteStore> {
  const onFault = (error: Error) => {
    throw error
  }
  const opened = await openSqliteLedger({ file, stream: 'main', onFault, ...setup })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return opened.value
}
