import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { rehashed } from '../../../kernel/audit/test/histories.suite.ts'
import type { AuditEntry } from '../../../kernel/contract/audit.ts'
import { NewestEntry } from '../../../kernel/contract/newest-entry.ts'
import { note } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openSqliteLedger } from './open-sqlite-ledger.ts'
import { openStore, TEST_ROWS } from './open-store.suite.ts'
import { FIRST_WITH_HEAD_MACS } from './schema.ts'

const folder = freshFolders()
const SEALED = { ...TEST_ROWS, sealed: true, heads: true }

/** A ledger with three entries that no checkpoint has signed, and that nobody has open. */
async function written(): Promise<string> {
  const file = join(folder(), 'ledger.db')
  const store = await openStore(file)
  await store.commit([note('a'), note('b'), note('c')])
  await store.close()
  return file
}

function inFile<T>(file: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** The next gate on it appends one entry; returns what was reported. */
async function reportedAfter(file: string, attack: (db: DatabaseSync) => void): Promise<unknown[]> {
  inFile(file, attack)
  const reported: unknown[] = []
  const store = await openStore(file, { rows: SEALED, onDiverged: (found) => reported.push(found) })
  expect(await store.commit([note('d')])).toBe('committed')
  expect(await store.commit([note('e')])).toBe('committed')
  await store.close()
  return reported
}

/** Changes the actor of the second entry, rehashes the rest, and updates the head: everything that can be done without a key. */
function rewrite(db: DatabaseSync): void {
  let before: string | undefined
  for (const { place, hash, body } of db.prepare('SELECT place, hash, body FROM audit WHERE place >= 2').all()) {
    const entry = { ...(JSON.parse(String(body)) as AuditEntry), hash: String(hash) }
    const fields = before === undefined ? { actor: 'agent:somebody-else' } : { prev_hash: before }
    const { hash: next, ...rest } = rehashed(entry, fields)
    db.prepare('UPDATE audit SET hash = ?, body = ? WHERE place = ?').run(next, JSON.stringify(rest), Number(place))
    before = next
  }
  db.prepare('UPDATE heads SET hash = ?').run(before ?? '')
}

describe('entries after the newest checkpoint, while no gate runs', () => {
  test('are continued if nobody touched them', async () => {
    expect(await reportedAfter(await written(), () => undefined)).toEqual([])
  })
  test.each<[string, (db: DatabaseSync) => void]>([
    ['are rewritten', rewrite],
    ['are rewritten, and the head loses its MAC', (db) => (rewrite(db), db.exec('UPDATE heads SET mac = NULL'))],
    [
      'are cut off',
      (db) => {
        db.exec('DELETE FROM audit WHERE place > 2')
        db.exec('UPDATE heads SET seq = 2, hash = (SELECT hash FROM audit WHERE place = 2)')
      },
    ],
  ])('%s: the first commit reports it, once', async (_, attack) => {
    expect(await reportedAfter(await written(), attack)).toMatchObject([{ stream: 'main' }])
  })
})

test('entries cut off after a checkpoint, with the genuine head of that time restored, are detected by the entry noted beside the keys', async () => {
  const file = join(folder(), 'ledger.db')
  const noteFile = join(folder(), 'newest.json')
  writeFileSync(noteFile, '')
  const store = await openStore(file, { noteFile })
  await store.commit([note('a'), note('b')])
  const before = inFile(file, (db) => db.prepare('SELECT * FROM heads').get())
  await store.commit([note('c'), note('d')])
  // What was answered is noted, whatever happens to the process then.
  const { v: _, ...floor } = NewestEntry.parse(JSON.parse(readFileSync(noteFile, 'utf8')))
  await store.close()
  expect(floor).toMatchObject({ stream: 'main', seq: 4 })
  const reopened = async () => {
    const reported: unknown[] = []
    const next = await openStore(file, { rows: SEALED, floor, onDiverged: (found) => reported.push(found) })
    expect(await next.commit([note('e')])).toBe('committed')
    await next.close()
    return reported
  }
  expect(await reopened()).toEqual([])
  inFile(file, (db) => {
    db.exec('DELETE FROM audit WHERE place > 2')
    const { seq, hash, mac } = before as { seq: number; hash: string; mac: Uint8Array }
    db.prepare('UPDATE heads SET seq = ?, hash = ?, mac = ?').run(seq, hash, mac)
  })
  expect(await reopened()).toMatchObject([{ stream: 'main', seq: 3, says: expect.stringContaining('entry 4') }])
})

test('heads of an earlier release get their MAC once; a ledger without them is not accepted afterwards', async () => {
  const earlier = (db: DatabaseSync) => {
    db.exec('ALTER TABLE heads DROP COLUMN mac; ALTER TABLE once DROP COLUMN mac; DROP TABLE once_sums')
    db.exec(`PRAGMA user_version = ${FIRST_WITH_HEAD_MACS - 1}`)
  }
  const file = await written()
  inFile(file, earlier)
  const reported: unknown[] = []
  const rows = { ...TEST_ROWS, sealed: true }
  const store = await openStore(file, { rows, onDiverged: (found) => reported.push(found) })
  expect(await store.commit([note('d')])).toBe('committed')
  await store.close()
  expect(reported).toEqual([])
  inFile(file, earlier)
  const opened = await openSqliteLedger({ file, stream: 'main', rows: SEALED, onFault: () => undefined })
  expect(opened).toMatchObject({ ok: false, problem: { code: 'ledger.replaced' } })
})
