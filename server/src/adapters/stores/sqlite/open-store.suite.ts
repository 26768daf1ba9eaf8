import { BUILT_WORKER } from '../../../../test/built/built.ts'
import { openSqliteLedger, type SqliteSetup, type SqliteStore } from './open-sqlite-ledger.ts'

/** For ledgers of tests: the rows of one that is opened again were written under the same key. */
export const TEST_ROWS = { key: '5e'.repeat(32), sealed: false } as const

/** A store that must open. An unexpected fault ends the process. */
export async function openStore(file: string, setup: Partial<SqliteSetup> = {}): Promise<SqliteStore> {
  const onFault = (error: Error) => {
    throw error
  }
  const opened = await openSqliteLedger({
    file,
    stream: 'main',
    rows: TEST_ROWS,
    onFault,
    script: BUILT_WORKER,
    ...setup,
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return opened.value
}
