import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { newCall, note } from '../ledger-fixtures.suite.ts'
import { commitLists, expectLikeModel } from '../ledger-model.suite.ts'
import { ledgerSuite } from '../ledger.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'

const folder = freshFolders()
const file = () => join(folder(), 'ledger.db')

ledgerSuite('sqlite', {
  create: async () => file(),
  open: (address, stream = 'main') => openStore(address, { stream }),
  racer: new URL('./racer.suite.ts', import.meta.url),
  async openKillable(address) {
    const script = new URL('./dying-worker.suite.ts', import.meta.url)
    const ledger = await openStore(address, { script, onFault: () => undefined })
    return { ledger, dieNext: (death) => writeFileSync(`${address}.death`, death) }
  },
})

test('commits that are sent together are applied in the order of arrival, as if one by one', async () => {
  await fc.assert(
    fc.asyncProperty(commitLists, async (list) => {
      const store = await openStore(file())
      await expectLikeModel(store, list, () => Promise.all(list.map((changes) => store.commit(changes))))
      await store.close()
    }),
    { numRuns: 12 },
  )
})

test('a hundred commits that arrive together share their transactions', async () => {
  const address = file()
  const store = await openStore(address)
  const outside = new DatabaseSync(address, { timeout: 60_000 })
  const frames = () => outside.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()?.['log'] as number
  const before = frames()
  await Promise.all(Array.from({ length: 100 }, (_, index) => store.commit([newCall(`c${index}`), note(`c${index}`)])))
  // Each transaction adds at least one frame to the log; a hundred of them could not stay below a hundred.
  expect(frames() - before).toBeLessThan(100)
  outside.close()
  await store.close()
})

test('a nonce is deleted only well after its time', async () => {
  let now = 1_000_000
  const store = await openStore(file(), { clock: () => now })
  const nonce = (key: string) => store.commit([{ kind: 'once', key, until: 1_000_100 }])
  expect(await nonce('n')).toBe('committed')
  for (const minutes of [20, 20]) {
    now += minutes * 60_000
    expect(await nonce('n')).toEqual({ lost: 0 })
  }
  now += 120 * 60_000
  await store.commit([])
  expect(await nonce('n')).toBe('committed')
  await store.close()
})
