import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startChild } from '../../../../test/built/start-child.ts'
import { STORED_TABLES } from '../listed.ts'
import { connect } from './connect.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { migrate, MIGRATIONS } from './schema.ts'

const folder = freshFolders()
const versionOf = (db: DatabaseSync) => db.prepare('PRAGMA user_version').get()?.['user_version']

test('every table of the ports exists and every listed field has an index that listings use', () => {
  const db = new DatabaseSync(':memory:')
  expect(migrate(db).ok).toBe(true)
  for (const [table, fields] of Object.entries(STORED_TABLES)) {
    expect(db.prepare(`SELECT pos, id, version, body, later FROM ${table}`).all()).toEqual([])
    for (const field of fields) {
      const listing = `SELECT body FROM ${table} WHERE ${field} = ? AND pos > ? ORDER BY pos LIMIT ?`
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${listing}`).all('x', 1, 1)
      expect(plan.map(({ detail }) => detail)).toEqual([
        `SEARCH ${table} USING INDEX ${table}_by_${field} (${field}=? AND rowid>?)`,
      ])
    }
  }
})

test('a second migration finds nothing to do', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  db.exec("INSERT INTO accounts (id, units) VALUES ('a', 1)")
  expect(migrate(db)).toEqual({ ok: true, value: undefined })
  expect(versionOf(db)).toBe(MIGRATIONS.length)
  expect(db.prepare('SELECT * FROM accounts').all()).toHaveLength(1)
})

test('a later release adds its own migrations and keeps what is stored', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  db.exec("INSERT INTO accounts (id, units) VALUES ('a', 1)")
  const later = [...MIGRATIONS, 'ALTER TABLE accounts ADD COLUMN note TEXT', "UPDATE accounts SET note = 'old'"]
  expect(migrate(db, later).ok).toBe(true)
  expect(versionOf(db)).toBe(MIGRATIONS.length + 2)
  expect(db.prepare('SELECT id, units, note FROM accounts').all()).toEqual([{ id: 'a', units: 1, note: 'old' }])
  expect(migrate(db)).toMatchObject({ ok: false, problem: { code: 'ledger.newer' } })
})

test('a migration that fails half-way leaves the database unchanged', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const broken = [...MIGRATIONS, 'CREATE TABLE fine (x)', 'CREATE TABLE more (x); SELECT nonsense']
  expect(() => migrate(db, broken)).toThrow('nonsense')
  expect(versionOf(db)).toBe(MIGRATIONS.length)
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name IN ('fine', 'more')").all()).toEqual([])
  expect(db.isTransaction).toBe(false)
})

test('somebody else`s database is not touched', () => {
  const empty = new DatabaseSync(':memory:')
  empty.exec('CREATE TABLE recipes (x)')
  expect(migrate(empty)).toMatchObject({ ok: false, problem: { code: 'ledger.foreign' } })
  const numbered = new DatabaseSync(':memory:')
  numbered.exec('CREATE TABLE recipes (x); PRAGMA user_version = 1')
  expect(migrate(numbered)).toMatchObject({ ok: false, problem: { code: 'ledger.foreign' } })
  expect(numbered.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 1 })
})

const RACER = fileURLToPath(new URL('./racer.suite.ts', import.meta.url))

/** Starts processes that open the ledger, and returns the first output of each. */
function openInProcesses(file: string): Promise<string>[] {
  return ['a', 'b', 'c', 'd'].map(async (name) => {
    const child = startChild(RACER, [file, name])
    const said = await child.line()
    await child.kill()
    return said
  })
}
const ALL_READY = ['ready', 'ready', 'ready', 'ready']

test('if several processes create one ledger together, all get it', async () => {
  expect(await Promise.all(openInProcesses(join(folder(), 'ledger.db')))).toEqual(ALL_READY)
})

test('processes that find another one migrating wait for it, then migrate once', async () => {
  const file = join(folder(), 'ledger.db')
  writeFileSync(file, '')
  const first = connect(file)
  first.exec('BEGIN IMMEDIATE')
  const opening = openInProcesses(file)
  // Long enough for most of them to wait for the lock; the test passes whatever their number.
  await setTimeout(1000)
  first.exec('ROLLBACK')
  expect(await Promise.all(opening)).toEqual(ALL_READY)
  expect(versionOf(first)).toBe(MIGRATIONS.length)
  first.close()
})
