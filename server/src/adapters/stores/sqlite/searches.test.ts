import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SearchWhere } from '../../../kernel/ports/reads.ts'
import { migrate } from './schema.ts'
import { MOST_LOOKED_AT, searchRows } from './searches.ts'

type Row = { state: string; tool_id: string; caller: string; user: string; received_at: number }

function filled(rows: readonly Row[]): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const insert = db.prepare(
    'INSERT INTO calls (id, version, body, state, tool_id, caller, user, received_at) VALUES (?, 1, ?, ?, ?, ?, ?, ?)',
  )
  db.exec('BEGIN')
  for (const [index, { state, tool_id, caller, user, received_at }] of rows.entries())
    insert.run(`c${index}`, '{}', state === 'executed' ? null : state, tool_id, caller, user, received_at)
  db.exec('COMMIT')
  return db
}

const all = (db: DatabaseSync, where: SearchWhere, limit: number, newest_first: boolean): number[] => {
  const found: number[] = []
  let after: number | undefined
  do {
    const page = { limit, newest_first, ...(after === undefined ? {} : { after }) }
    const { items, next } = searchRows((sql) => db.prepare(sql), 'calls', where, page)
    found.push(...items)
    after = next
  } while (after !== undefined)
  return found
}

const word = fc.constantFrom('a', 'b', 'c')
const state = fc.constantFrom('executed', 'failed', 'pending')
const row = fc.record({ state, tool_id: word, caller: word, user: word, received_at: fc.integer({ min: 0, max: 50 }) })
const where = fc.record(
  {
    state,
    tool_id: word,
    caller: word,
    user: word,
    since: fc.integer({ min: 0, max: 50 }),
    until: fc.integer({ min: 0, max: 50 }),
  },
  { requiredKeys: [] },
)

test('following `next`, a search finds exactly the matching rows, in order, each once', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 60 }),
      where,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (rows, asked, limit, down) => {
        const fits = (one: Row) =>
          (['state', 'tool_id', 'caller', 'user'] as const).every(
            (key) => asked[key] === undefined || asked[key] === one[key],
          ) &&
          one.received_at >= (asked.since ?? -Infinity) &&
          one.received_at <= (asked.until ?? Infinity)
        const expected = rows.flatMap((one, index) => (fits(one) ? [index + 1] : []))
        expect(all(filled(rows), asked, limit, down)).toEqual(down ? expected.toReversed() : expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('a page reads a limited number of rows and says where to continue, however rare the matches are', () => {
  const rare = { state: 'executed', tool_id: 'a', caller: 'rare', user: 'x', received_at: 0 }
  const common = { ...rare, caller: 'common' }
  const db = filled([
    { ...rare, tool_id: 'b', caller: 'common' },
    ...Array.from({ length: MOST_LOOKED_AT + 10 }, () => common),
  ])
  const first = searchRows(
    (sql) => db.prepare(sql),
    'calls',
    { tool_id: 'b', caller: 'common' },
    { limit: 5, newest_first: true },
  )
  expect(first).toEqual({ items: [], next: 12 })
  expect(all(db, { tool_id: 'b', caller: 'common' }, 5, true)).toEqual([1])
})
