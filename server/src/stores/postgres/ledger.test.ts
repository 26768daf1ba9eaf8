import * as fc from 'fast-check'
import { afterAll, describe, test } from 'vitest'
import { freshSchema, hasPostgres, testDatabase } from '../../../test/postgres/with-postgres.ts'
import { commitLists, expectLikeModel } from '../ledger-model.suite.ts'
import { ledgerSuite } from '../ledger.suite.ts'
import { openKillable, stopProxies } from './killable-ledger.suite.ts'
import { openLedger } from './open-ledger.suite.ts'

const create = async () => `${await testDatabase()} ${freshSchema()}`

describe.skipIf(!hasPostgres)('on a real Postgres', () => {
  afterAll(stopProxies)

  ledgerSuite('postgres', {
    create,
    open: (address, stream = 'main') => openLedger(address, { stream }),
    racer: new URL('./racer.suite.ts', import.meta.url),
    openKillable,
  })

  test('commits that are sent together are applied in the order of arrival, as if one by one', async () => {
    await fc.assert(
      fc.asyncProperty(commitLists, async (list) => {
        const store = await openLedger(await create())
        await expectLikeModel(store, list, () => Promise.all(list.map((changes) => store.commit(changes))))
        await store.close()
      }),
      { numRuns: 12 },
    )
  })
})
