import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { textKey } from '../text-key.ts'
import { bloomFilter } from './bloom-filter.ts'

/** More than the first two parts of the filter hold together. */
const STORED = 30_000
const WRITTEN = 30_000

test('law: a filter that grows says no to no value that was stored or noted, and to nearly all others', async () => {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE calls (identity INTEGER); CREATE INDEX i ON calls (identity); BEGIN')
  const insert = db.prepare('INSERT INTO calls VALUES (?)')
  for (let at = 0; at < STORED; at += 1) insert.run(textKey(`stored ${at}`))
  db.exec('COMMIT')
  const filter = bloomFilter(db, 'calls', 'identity')
  for (let at = 0; at < WRITTEN; at += 1) {
    if (at % 1_000 === 0) await setImmediate()
    filter.note(`written ${at}`)
  }
  // Stored values are read in the background; until then nothing is ruled out.
  while (filter.has('neither')) await setImmediate()
  const saysNo = (word: string, count: number) =>
    Array.from({ length: count }, (_, at) => filter.has(`${word} ${at}`)).filter((has) => !has).length
  expect({ stored: saysNo('stored', STORED), written: saysNo('written', WRITTEN) }).toEqual({ stored: 0, written: 0 })
  expect(saysNo('unknown', 10_000)).toBeGreaterThan(9_500)
  db.close()
})
