import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { call, callId, runId } from '../ledger-fixtures.suite.ts'
import { BY_RUN } from './by-run.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { migrate, MIGRATIONS } from './schema.ts'

const folder = freshFolders()

test('open calls of toolflows say which run made them; every other row is unchanged', async () => {
  const file = join(folder(), 'ledger.db')
  const db = new DatabaseSync(file, { timeout: 60_000 })
  expect(migrate(db, MIGRATIONS.slice(0, MIGRATIONS.indexOf(BY_RUN))).ok).toBe(true)
  const insert = db.prepare('INSERT INTO calls (id, version, body, later, state) VALUES (?, 2, ?, ?, ?)')
  const asked = { for_run: runId(1), toolflow: { at_least: 'ask', risk_score: 42 } }
  const rows = [
    { ...call(callId(1), { state: 'pending' }), ...asked },
    { ...call(callId(2), { state: 'executing' }), for_run: runId(2), toolflow: { at_least: 'allow' } },
    { ...call(callId(3), { state: 'unknown' }), for_run: runId(3) },
    { ...call(callId(4), { state: 'executed' }), ...asked },
    call(callId(5), { state: 'pending' }),
  ]
  for (const row of rows)
    insert.run(row.call_id, JSON.stringify(row), null, row.state === 'executed' ? null : row.state)
  // A second version is stored as the fields in which it differs.
  const started = { ...call(callId(6), { state: 'pending' }), ...asked }
  insert.run(started.call_id, JSON.stringify(started), JSON.stringify({ state: 'executing', attempt: 1 }), 'executing')
  db.close()

  const store = await openStore(file, { alone: true })
  const held = async (n: number) => (await store.row('calls', callId(n))) ?? { row: undefined, version: 0 }
  const made = (n: number, step: string, at_least: string, more: object = {}) => ({
    by_run: { run_id: runId(n), kind: 'toolflow', step, at_least, lane: null, ...more },
  })
  expect(await held(1)).toMatchObject({ version: 3, row: made(1, 'ASK', 'ask', { risk_score: 42 }) })
  expect(await held(2)).toMatchObject({ version: 3, row: made(2, 'EXECUTE', 'allow') })
  // A call without a verdict of its toolflow is judged as if it had been asked about.
  expect(await held(3)).toMatchObject({ version: 3, row: made(3, 'ASK', 'ask') })
  expect((await held(4)).row).toEqual(rows[3])
  expect(await held(5)).toMatchObject({ version: 2, row: rows[4] })
  expect(await held(6)).toMatchObject({
    row: { state: 'executing', attempt: 1, ...made(1, 'ASK', 'ask', { risk_score: 42 }) },
  })
  for (const n of [1, 2, 3, 6]) {
    expect((await held(n)).row).not.toHaveProperty('for_run')
    expect((await held(n)).row).not.toHaveProperty('toolflow')
  }
})
