import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Ledger } from '../../../kernel/ports/ledger.ts'
import { newCall, note, wholeChain } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openSqliteLedger } from './open-sqlite-ledger.ts'
import { openStore, TEST_ROWS } from './open-store.suite.ts'

const folder = freshFolders()
const BULK = 'x'.repeat(20_000)
let number = 0
const commit = (ledger: Ledger, trace = '') => {
  number += 1
  return ledger.commit([newCall(`c${number}`, { trace }), note(`c${number}`)])
}

/** Commits large rows until none fits; returns how many did. */
async function fill(ledger: Ledger): Promise<number> {
  for (let committed = 0; committed < 1000; committed += 1) {
    const outcome = await commit(ledger, BULK)
    if (outcome !== 'committed') {
      expect(outcome).toBe('unavailable')
      return committed
    }
  }
  throw new Error('the disk is not full')
}

test('a full store is unavailable, loses nothing, and continues by itself when there is room', async () => {
  const file = join(folder(), 'ledger.db')
  const faults: string[] = []
  const store = await openStore(file, { tuning: { max_pages: 200 }, onFault: (error) => faults.push(error.message) })
  const committed = await fill(store)
  expect(committed).toBeGreaterThan(10)
  expect(faults).toEqual(['the ledger cannot be written: database or disk is full (SQLite 13)'])
  expect(await Promise.all([commit(store, BULK), commit(store, BULK)])).toEqual(['unavailable', 'unavailable'])
  expect(faults.length).toBeGreaterThan(1)
  expect(await store.count('calls', {})).toBe(committed)
  expect(await wholeChain(store, 'main')).toHaveLength(committed)

  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec('DELETE FROM calls WHERE pos > 5')
  outside.close()
  expect(await commit(store, BULK)).toBe('committed')
  expect(await wholeChain(store, 'main')).toHaveLength(committed + 1)
  await store.close()
})

test('a full file system is unavailable until something is removed from it', async ({ skip }) => {
  const disk = join(folder(), 'disk')
  mkdirSync(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'none', disk], { stdio: 'ignore' })
  } catch {
    skip('no file system can be mounted here')
  }
  try {
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(1_500_000))
    const faults: string[] = []
    const store = await openStore(join(disk, 'ledger.db'), { onFault: (error) => faults.push(error.message) })
    const committed = await fill(store)
    expect(await commit(store, BULK)).toBe('unavailable')
    expect(faults.length).toBe(2)
    rmSync(join(disk, 'ballast'))
    expect(await commit(store, BULK)).toBe('committed')
    expect(await wholeChain(store, 'main')).toHaveLength(committed + 1)
    await store.close()
  } finally {
    execFileSync('umount', [disk])
  }
})

test('a store that another process keeps locked is unavailable until it is released', async () => {
  const file = join(folder(), 'ledger.db')
  const faults: string[] = []
  const store = await openStore(file, { tuning: { busy_ms: 50 }, onFault: (error) => faults.push(error.message) })
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec('BEGIN IMMEDIATE')
  expect(await Promise.all([commit(store), commit(store)])).toEqual(['unavailable', 'unavailable'])
  expect(faults).toEqual(['the ledger cannot be written: database is locked (SQLite 5)'])
  outside.exec('ROLLBACK')
  expect(await commit(store)).toBe('committed')
  outside.close()
  await store.close()
})

/** Root may write anything, so the test temporarily becomes nobody. */
async function withoutRoot<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act()
  process.seteuid?.(65_534)
  try {
    return await act()
  } finally {
    process.seteuid?.(0)
  }
}

test('a store that becomes read-only is unavailable until it can be written again', async () => {
  const place = folder()
  chmodSync(place, 0o755)
  const file = join(place, 'ledger.db')
  const store = await openStore(file, { tuning: { busy_ms: 50 }, onFault: () => undefined })
  const modes = (mode: number) => ['', '-wal', '-shm'].map((suffix) => chmodSync(file + suffix, mode))
  expect(await commit(store)).toBe('committed')
  // An open file stays writable, so a first fault makes the store open it again.
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec('BEGIN IMMEDIATE')
  expect(await commit(store)).toBe('unavailable')
  outside.exec('ROLLBACK')
  modes(0o444)
  expect(await withoutRoot(() => commit(store))).toBe('unavailable')
  modes(0o600)
  expect(await commit(store)).toBe('committed')
  expect(await wholeChain(store, 'main')).toHaveLength(2)
  outside.close()
  await store.close()
})

test('a store whose file was removed stays unavailable; no empty one is created', async () => {
  const file = join(folder(), 'ledger.db')
  const store = await openStore(file, { tuning: { busy_ms: 50 }, onFault: () => undefined })
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec('BEGIN IMMEDIATE')
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix)
  expect(await commit(store)).toBe('unavailable')
  outside.close()
  expect(await commit(store)).toBe('unavailable')
  expect(existsSync(file)).toBe(false)
  await store.close()
})

test('a file that cannot be written does not open', async () => {
  const place = folder()
  chmodSync(place, 0o755)
  const file = join(place, 'ledger.db')
  await (await openStore(file)).close()
  chmodSync(file, 0o444)
  const opened = await withoutRoot(() =>
    openSqliteLedger({ file, stream: 'main', rows: TEST_ROWS, onFault: () => undefined }),
  )
  expect(opened).toMatchObject({ ok: false, problem: { code: 'audit.unavailable', about: { file } } })
})

test('a head that does not match the entries is reported, nothing is overwritten, and the next entry follows the last', async () => {
  const file = join(folder(), 'ledger.db')
  const reported: unknown[] = []
  const store = await openStore(file, { onDiverged: (found) => reported.push(found) })
  await store.commit([note('a'), note('b'), note('c')])
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec('UPDATE heads SET seq = 1')
  outside.close()
  expect(await commit(store)).toBe('committed')
  expect(reported).toMatchObject([{ stream: 'main', seq: 2 }])
  expect(await wholeChain(store, 'main')).toHaveLength(4)
  await store.close()
})
