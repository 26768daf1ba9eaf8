import { join } from 'node:path'
import { expect, test } from 'vitest'
import { note } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'

const folder = freshFolders()
const HOUR = 3_600_000

test('an account that expired long ago is deleted; one without an end stays', async () => {
  let now = 1_000_000_000
  const store = await openStore(join(folder(), 'ledger.db'), { clock: () => now })
  await store.commit([
    { kind: 'open', account: 'passing', units: 1, until: now + HOUR },
    { kind: 'open', account: 'lasting', units: 1 },
  ])
  now += 1.5 * HOUR
  await store.commit([note('soon after')])
  expect(await store.left('passing')).toBe(1)
  now += HOUR
  await store.commit([note('long after')])
  expect(await store.left('passing')).toBeUndefined()
  expect(await store.left('lasting')).toBe(1)
  await store.close()
})
