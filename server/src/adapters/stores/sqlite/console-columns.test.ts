import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { SEARCHED_BY } from '../../../kernel/ports/ledger.ts'
import { migrate, MIGRATIONS } from './schema.ts'

const BEFORE = MIGRATIONS.slice(0, 16)

test('calls and requests of an earlier release are found by tool, caller, person, time and state', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db, BEFORE)
  const body = JSON.stringify({
    state: 'pending',
    tool_id: 'mail__send',
    caller: { id: 'agent:a', user: 'ana' },
    received_at: 1.5,
  })
  db.prepare('INSERT INTO calls (id, version, body, later) VALUES (?, 2, ?, ?)').run('c1', body, '{"state":"refused"}')
  db.prepare('INSERT INTO calls (id, version, body, later) VALUES (?, 2, ?, ?)').run('c2', body, '{"state":"executed"}')
  db.prepare('INSERT INTO approvals (id, version, body) VALUES (?, 1, ?)').run('a1', body)
  expect(migrate(db).ok).toBe(true)
  const calls = db.prepare('SELECT id, state, tool_id, caller, user, received_at FROM calls ORDER BY pos').all()
  const columns = { tool_id: 'mail__send', caller: 'agent:a', user: 'ana', received_at: 1.5 }
  expect(calls).toEqual([
    { id: 'c1', state: 'refused', ...columns },
    // Most calls: their column stays empty.
    { id: 'c2', state: null, ...columns },
  ])
  expect(db.prepare('SELECT user FROM approvals').all()).toEqual([{ user: 'ana' }])
})

test('every searchable field has an index that returns rows in order', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  for (const [table, fields] of Object.entries(SEARCHED_BY))
    for (const field of fields) {
      const search = `SELECT body FROM ${table} WHERE ${field} = ? AND pos < ? ORDER BY pos DESC LIMIT ?`
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${search}`).all('x', 1, 1)
      expect(plan.map(({ detail }) => detail)).toEqual([
        `SEARCH ${table} USING INDEX ${table}_by_${field} (${field}=? AND rowid<?)`,
      ])
    }
})

test('the ends of a period are found by an index, and so is an unfiltered list', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const planOf = (sql: string, ...values: number[]) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => String(detail))
  const since = 'SELECT pos FROM calls WHERE received_at >= ? ORDER BY received_at LIMIT 256'
  const until = 'SELECT pos FROM calls WHERE received_at <= ? ORDER BY received_at DESC LIMIT 256'
  for (const sql of [since, until])
    expect(planOf(sql, 1)).toEqual([expect.stringContaining('USING COVERING INDEX calls_by_received_at (received_at')])
  expect(planOf('SELECT pos FROM calls WHERE pos > ? AND pos < ? ORDER BY pos DESC LIMIT ?', 0, 9, 1)).toEqual([
    'SEARCH calls USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ])
})
