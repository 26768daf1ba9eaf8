import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newCall } from '../ledger-fixtures.suite.ts'
import { connect, connectForReads } from './connect.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openSqliteLedger } from './open-sqlite-ledger.ts'
import { openStore, TEST_ROWS } from './open-store.suite.ts'
import { MIGRATIONS } from './schema.ts'

const folder = freshFolders()
const open = (file: string) => openSqliteLedger({ file, stream: 'main', rows: TEST_ROWS, onFault: () => undefined })

test('the files are accessible only to the owner of the process', async () => {
  const file = join(folder(), 'new', 'ledger.db')
  const store = await openStore(file)
  await store.commit([newCall('c')])
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(mode(join(file, '..'))).toBe('700')
  for (const suffix of ['', '-wal', '-shm']) expect(mode(file + suffix), suffix).toBe('600')
  await store.close()
})

test('any folder name is accepted', async () => {
  const file = join(folder(), 'a b', '50% ?mode=memory#é', "it's.db")
  const store = await openStore(file)
  await store.commit([newCall('c')])
  await store.close()
  expect(statSync(file).size).toBeGreaterThan(0)
  const again = await openStore(file)
  expect(await again.count('calls', {})).toBe(1)
  await again.close()
})

test('a file that is not a database does not open', async () => {
  const file = join(folder(), 'ledger.db')
  writeFileSync(file, 'dear diary, '.repeat(1000))
  expect(await open(file)).toMatchObject({ ok: false, problem: { code: 'audit.unavailable', about: { file } } })
})

test('a ledger of a newer release does not open, and says so', async () => {
  const file = join(folder(), 'ledger.db')
  await (await openStore(file)).close()
  const later = new DatabaseSync(file)
  later.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
  later.close()
  expect(await open(file)).toEqual({
    ok: false,
    problem: {
      code: 'ledger.newer',
      about: { file, found: String(MIGRATIONS.length + 1), known: String(MIGRATIONS.length) },
    },
  })
})

test('a writer waits for every fsync and for other writers; a reader cannot write', async () => {
  const file = join(folder(), 'ledger.db')
  await (await openStore(file)).close()
  const writer = connect(file)
  const pragma = (name: string) => Object.values(writer.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('busy_timeout')]).toEqual(['wal', 2, 10_000])
  const reader = connectForReads(file)
  expect(() => reader.exec("INSERT INTO accounts (id, units) VALUES ('a', 1)")).toThrow('readonly')
  reader.close()
  writer.close()
})

test('opening waits for a process that holds the file while it is not yet a ledger', async () => {
  const file = join(folder(), 'ledger.db')
  const outside = new DatabaseSync(file)
  outside.exec('BEGIN IMMEDIATE')
  const opening = openStore(file)
  // Long enough to meet the lock; the test passes even if it is too late.
  await setTimeout(700)
  outside.exec('ROLLBACK')
  outside.close()
  await (await opening).close()
})

test('closing twice is harmless', async () => {
  const store = await openStore(join(folder(), 'ledger.db'))
  await Promise.all([store.close(), store.close()])
  await store.close()
})
