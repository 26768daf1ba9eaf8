import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newCall, note, wholeChain } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'

const folder = freshFolders()
const commit = (store: Awaited<ReturnType<typeof openStore>>, id: string) => store.commit([newCall(id), note(id)])

test('a copy made in the middle of commits is complete, contains what was committed before, and can be continued', async () => {
  const place = folder()
  const store = await openStore(join(place, 'ledger.db'))
  await Promise.all(Array.from({ length: 200 }, (_, number) => commit(store, `before ${number}`)))
  const copied = new AbortController()
  const writing = Array.from({ length: 4 }, async (_, writer) => {
    for (let number = 0; !copied.signal.aborted; number += 1) await commit(store, `during ${writer} ${number}`)
  })
  const copy = join(place, 'copy.db')
  expect(await store.backup(copy)).toEqual({ ok: true, value: undefined })
  copied.abort()
  await Promise.all(writing)

  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600')
  const restored = await openStore(copy)
  const entries = await wholeChain(restored, 'main')
  expect(entries.length).toBeGreaterThanOrEqual(200)
  expect(await restored.count('calls', {})).toBe(entries.length)
  expect(await commit(restored, 'after')).toBe('committed')
  expect(await wholeChain(restored, 'main')).toHaveLength(entries.length + 1)
  await restored.close()
  await store.close()
})

test('a backup replaces nothing, and leaves nothing if it fails', async () => {
  const place = folder()
  const store = await openStore(join(place, 'ledger.db'))
  const target = join(place, 'copies')
  mkdirSync(target)
  writeFileSync(join(target, 'here'), 'precious')
  const refused = (code: string) => ({ ok: false, problem: { code } })
  expect(await store.backup(join(target, 'here'))).toMatchObject(refused('backup.exists'))
  expect(readFileSync(join(target, 'here'), 'utf8')).toBe('precious')
  expect(await store.backup(join(target, 'no', 'folder', 'copy.db'))).toMatchObject(refused('backup.not_written'))
  expect(readdirSync(target)).toEqual(['here'])
  await store.close()
})
