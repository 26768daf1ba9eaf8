import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { assert, nat, option, pre, property, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import type { Change } from '../../../kernel/ports/ledger.ts'
import { newCall } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore, TEST_ROWS } from './open-store.suite.ts'
import type { ForgedRow } from '../stored-values.ts'
import { rowMacs } from '../row-mac.ts'
import { FIRST_WITH_MACS } from './schema.ts'

const folder = freshFolders()
const SEALED = { ...TEST_ROWS, sealed: true }

/** A store with calls `1` to `5`, a pause, an account and an event, whose file is then modified directly. */
async function forged(sql: string) {
  const file = join(folder(), 'ledger.db')
  const reported: ForgedRow[] = []
  const store = await openStore(file, { onForged: (found) => reported.push(found) })
  await store.commit(['1', '2', '3', '4', '5'].map((id) => newCall(id)))
  await store.commit([
    pause(true),
    { kind: 'open', account: 'a', units: 5 },
    { kind: 'event', run: 'run_1', event: { type: 'x' } },
  ])
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec(sql)
  outside.close()
  return { store, reported, file }
}

const pause = (active: boolean): Change => ({
  kind: 'swap',
  table: 'pauses',
  id: 'all',
  from: 'absent',
  to: { v: 1, scope: 'all', effect: 'block', active, by: 'admin:a', reason: '', at: 1 },
})

test('unmodified rows are read, and nothing is reported', async () => {
  const { store, reported } = await forged('SELECT 1')
  expect(await store.list('calls', {}, { limit: 10 })).toHaveLength(5)
  expect(await store.row('pauses', 'all')).toMatchObject({ version: 1 })
  expect(await store.left('a')).toBe(5)
  expect(await store.events('run_1', 0, 10)).toHaveLength(1)
  expect(reported).toEqual([])
  await store.close()
})

test.each([
  ['another text', `UPDATE calls SET body = json_set(body, '$.state', 'executing') WHERE id = '3'`],
  ['another version', `UPDATE calls SET version = 7 WHERE id = '3'`],
  ['another id', `UPDATE calls SET id = '3 ' WHERE id = '3'`],
  ['a difference added', `UPDATE calls SET later = '{"state":"pending"}' WHERE id = '3'`],
  ['an empty difference', `UPDATE calls SET later = '' WHERE id = '3'`],
  ['no MAC', `UPDATE calls SET mac = NULL WHERE id = '3'`],
  ['the MAC of another row', `UPDATE calls SET mac = (SELECT mac FROM calls WHERE id = '4') WHERE id = '3'`],
  ['a text that is no JSON', `UPDATE calls SET body = 'not json' WHERE id = '3'`],
  [
    'the text and MAC of another row',
    `UPDATE calls SET (body, mac) = (SELECT body, mac FROM calls WHERE id = '4') WHERE id = '3'`,
  ],
])('a row with %s is absent and reported, and pages are filled with what follows it', async (_, sql) => {
  const { store, reported } = await forged(sql)
  expect(await store.row('calls', '3')).toBeUndefined()
  const page = await store.list('calls', {}, { limit: 4 })
  expect(page.map(({ row }) => row.call_id)).toEqual(['1', '2', '4', '5'])
  expect(reported[0]?.table ?? 'calls').toBe('calls')
  expect(reported.map(({ id }) => id.trim())).toContain('3')
  await store.close()
})

test('a row that was added by somebody else is absent', async () => {
  const { store } = await forged(
    `INSERT INTO calls (id, version, body, state, mac) SELECT '6', 1, body, state, mac FROM calls WHERE id = '1'`,
  )
  expect(await store.row('calls', '6')).toBeUndefined()
  expect(await store.list('calls', {}, { limit: 10 })).toHaveLength(5)
  await store.close()
})

test('a row is listed by its own field, whatever its column says', async () => {
  const { store } = await forged(`UPDATE calls SET idempotency_key = 'mine'`)
  expect(await store.list('calls', { idempotency_key: 'mine' }, { limit: 10 })).toEqual([])
  await store.close()
})

test.each([
  ['a pause', `UPDATE pauses SET body = json_set(body, '$.active', json('false'))`, 'row', 'pauses'],
  ['an event', `UPDATE events SET body = '{"type":"approval.approved"}'`, 'events', 'events'],
  ['an added event', `INSERT INTO events (run, seq, body) VALUES ('run_1', 2, '{"type":"y"}')`, 'events', 'events'],
])('%s that somebody else wrote cannot be read', async (_, sql, how, table) => {
  const { store, reported } = await forged(sql)
  const read = {
    row: () => store.row('pauses', 'all'),
    events: () => store.events('run_1', 0, 9),
  }
  await expect(read[how as keyof typeof read]()).rejects.toThrow('not written by this gate')
  expect(reported[0]?.table).toBe(table)
  await store.close()
})

test.each(['units = 500', 'until = 5'])('nothing is left of an account that somebody else wrote: %s', async (set) => {
  const { store, reported } = await forged(`UPDATE accounts SET ${set}`)
  expect(await store.left('a')).toBe(0)
  expect(reported).toEqual([{ table: 'accounts', id: 'a' }])
  expect(await store.commit([{ kind: 'spend', account: 'a', units: 1 }])).toEqual({ lost: 0 })
  await store.close()
})

test('a second version is not stored as a difference to a first one that somebody else changed', async () => {
  const { store } = await forged(`UPDATE calls SET body = json_set(body, '$.tool_id', 'other') WHERE id = '2'`)
  const first = newCall('2')
  if (first.kind !== 'swap' || first.table !== 'calls') throw new Error('not a swap')
  const to = { ...first.to, state: 'executed' as const, ended_at: 5 }
  expect(await store.commit([{ ...first, from: 1, to }])).toEqual({ lost: 0 })
  await store.close()
})

test('rows get their first MACs once: afterwards one without a MAC stays without one', async () => {
  const { store, file } = await forged('UPDATE calls SET mac = NULL')
  await store.close()
  const sealed = await openStore(file, { rows: SEALED })
  expect(await sealed.list('calls', {}, { limit: 10 })).toEqual([])
  await sealed.close()
  const first = await openStore(file)
  expect(await first.list('calls', {}, { limit: 10 })).toHaveLength(5)
  await first.close()
})

test('a ledger from before MACs is not opened if rows already had them', async () => {
  const { store, file } = await forged('SELECT 1')
  await store.close()
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec(`PRAGMA user_version = ${FIRST_WITH_MACS - 1}`)
  outside.close()
  await expect(openStore(file, { rows: SEALED })).rejects.toThrow('ledger.replaced')
})

test('another key reads nothing', async () => {
  const { store, file } = await forged('SELECT 1')
  await store.close()
  const other = await openStore(file, { rows: { key: '77'.repeat(32), sealed: true } })
  expect(await other.list('calls', {}, { limit: 10 })).toEqual([])
  await other.close()
})

test('different rows have different MACs', () => {
  const macs = rowMacs(TEST_ROWS.key)
  const text = string({ unit: 'binary', maxLength: 6 })
  const row = tuple(text, nat(3), text, option(text))
  assert(
    property(row, row, (one, other) => {
      pre(JSON.stringify(one) !== JSON.stringify(other))
      const [a, b] = [one, other].map(([id, version, body, later]) => macs.row('calls', id, version, body, later))
      return a !== undefined && b !== undefined && Buffer.compare(a, b) !== 0
    }),
  )
})
