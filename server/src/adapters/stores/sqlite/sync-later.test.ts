import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newCall, note, wholeChain } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import type { SqliteSetup } from './open-sqlite-ledger.ts'

const folder = freshFolders()
const LATER = { kind: 'sync_later' } as const

/** A store, and the number of the newest entry that is noted beside it. */
async function opened(setup: Partial<SqliteSetup> = {}) {
  const file = join(folder(), 'ledger.db')
  const noteFile = `${file}.newest`
  writeFileSync(noteFile, '')
  const store = await openStore(file, { ...setup, noteFile })
  return { file, store, noted: () => Number(/"seq":\s*(\d+)/.exec(readFileSync(noteFile, 'utf8'))?.[1] ?? 0) }
}

test('the end of the audit is noted when it is durable: with the next commit that waits for its fsync', async () => {
  const { store, noted } = await opened()
  expect(await store.commit([newCall('a'), note('a'), LATER])).toBe('committed')
  expect((await store.row('calls', 'a'))?.version).toBe(1)
  expect(noted()).toBe(0)
  await store.commit([newCall('b'), note('b'), LATER])
  await store.commit([])
  expect(noted()).toBe(2)
  // What is added after the mark has to be durable at once.
  await store.commit([newCall('c'), note('c'), LATER, note('d')])
  expect(noted()).toBe(4)
  await Promise.all([store.commit([note('e'), LATER]), store.commit([note('f')])])
  expect(noted()).toBe(6)
  await store.close()
})

test('a commit that was to be synced with one whose COMMIT fails is still there, and durable afterwards', async () => {
  const script = new URL('dying-worker.suite.ts', import.meta.url)
  const { file, store, noted } = await opened({ script, onFault: () => {} })
  expect(await store.commit([newCall('a'), note('a'), LATER])).toBe('committed')
  writeFileSync(`${file}.death`, 'commit fails, nothing stored')
  const word = await store.commit([newCall('b'), note('b')])
  const id = typeof word === 'object' && 'in_doubt' in word ? word.in_doubt : ''
  expect(await store.resultOf(id)).toBe('unavailable')
  expect(await store.row('calls', 'b')).toBeUndefined()
  expect(noted()).toBe(0)
  expect(await store.commit([note('c')])).toBe('committed')
  expect((await wholeChain(store, 'main')).map(({ subject }) => subject['call'])).toEqual(['a', 'c'])
  expect(noted()).toBe(2)
  await store.close()
})
