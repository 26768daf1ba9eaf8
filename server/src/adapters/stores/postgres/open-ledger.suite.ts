import { TEST_ROWS } from '../sqlite/open-store.suite.ts'
import { DEFAULT_SCHEMA, type PostgresAddress } from './connect.ts'
import { openPostgresLedger, type PostgresLedger, type PostgresSetup } from './open-postgres-ledger.ts'

/** Short, so that deaths are detected soon; long enough for a busy machine. */
export const TEST_LEASE = { lease_ms: 2_500, renew_ms: 250 } as const

/** An address as one string, for the arguments of processes. */
export const addressOf = (text: string): PostgresAddress => {
  const [url = '', schema = DEFAULT_SCHEMA] = text.split(' ')
  return { url, schema }
}

/** A store that must open. An unexpected fault ends the process. */
export async function openLedger(address: string, setup: Partial<PostgresSetup> = {}): Promise<PostgresLedger> {
  const onFault = (error: Error) => {
    throw error
  }
  const opened = await openPostgresLedger({
    address: addressOf(address),
    stream: 'main',
    boot: 'test',
    key: TEST_ROWS.key,
    onFault,
    ...setup,
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return opened.value
}
