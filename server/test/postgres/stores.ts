import { STORE_VARIABLE } from '../gate/with-gate.ts'
import { freshSchema, hasPostgres, testDatabase } from './with-postgres.ts'

/** Whether suites run at full length (`npm run test:cluster`). */
export const isWhole = process.env['TEST_CLUSTER'] === 'whole'

/** The stores that a race runs on: in a database by `npm run test:cluster`. */
export const STORES: readonly ('embedded' | 'postgres')[] =
  hasPostgres && isWhole ? ['embedded', 'postgres'] : ['embedded']

/** Gates that this test opens from now on, here and in processes that it starts, have this store. */
export async function chooseStore(store: (typeof STORES)[number]): Promise<void> {
  delete process.env[STORE_VARIABLE]
  if (store === 'postgres')
    process.env[STORE_VARIABLE] = JSON.stringify({ postgres: await testDatabase(), schema: freshSchema() })
}
