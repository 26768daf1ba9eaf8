import { openSqliteLedger, type SqliteSetup, type SqliteStore } from './open-sqlite-ledger.ts'

/** A store that must open. A fault nobody asked for ends the process. */
export async function openStore(file: string, setup: Partial<SqliteSetup> = {}): Promise<SqliteStore> {
  const onFault = (error: Error) => {
    throw error
  }
  const opened = await openSqliteLedger({ file, stream: 'main', onFault, ...setup })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return opened.value
}
