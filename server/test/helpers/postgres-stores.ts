import { STORE_VARIABLE } from './with-gate.ts'
import { hasRedis, startRedis, type TestRedis } from './with-redis.ts'
import { freshSchema, hasPostgres, testDatabase } from './with-postgres.ts'

/** Whether suites run at full length (`npm run test:cluster`). */
export const isWhole = process.env['TEST_CLUSTER'] === 'whole'

/** The stores that a race runs on: in a database by `npm run test:cluster`. */
export const STORES: readonly ('embedded' | 'postgres' | 'postgres with redis')[] =
  hasPostgres && isWhole
    ? ['embedded', 'postgres', ...(hasRedis ? (['postgres with redis'] as const) : [])]
    : ['embedded']

let redis: TestRedis | undefined

/** Gates that this test opens from now on, here and in processes that it starts, have this store. */
export async function chooseStore(store: (typeof STORES)[number]): Promise<void> {
  delete process.env[STORE_VARIABLE]
  await redis?.stop()
  redis = store === 'postgres with redis' ? await startRedis() : undefined
  if (store === 'embedded') return
  const more = redis === undefined ? {} : { redis: redis.url }
  process.env[STORE_VARIABLE] = JSON.stringify({ postgres: await testDatabase(), schema: freshSchema(), ...more })
}
