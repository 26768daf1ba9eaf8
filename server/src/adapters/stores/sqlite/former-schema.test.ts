import { hash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { CallRow } from '../../../kernel/contract/call.ts'
import { emptyHead, entryParts, linkEntry } from '../../../kernel/audit/chain.ts'
import { approval, approvalId, call, callId, draft, newCall, note, wholeChain } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { migrate, MIGRATIONS } from './schema.ts'

const folder = freshFolders()

/** The last schema that stored rows only as text. */
const TEXT_ALONE = 8

const CALLS: readonly CallRow[] = [
  call(callId(1), { state: 'executing', identity: 'same', boot: 'gone' }),
  call(callId(2), { state: 'executed', identity: 'same', idempotency_key: 'agent:a k', ended_at: 3.5 * 86_400_000 }),
  call(callId(3), { state: 'unknown', trace: 'é 😀 \u2028 "quoted"' }),
  call(callId(4), { state: 'executed', due: 'verify' }),
]

/** Keys are stored under the caller's id and user since schema 12. */
const KEY = '["call","agent:a","ada","k"]'
const broughtOver = (row: CallRow): CallRow =>
  row.idempotency_key === undefined ? row : { ...row, idempotency_key: KEY }

/** A ledger as left by a release before the columns: rows changed more than once, two streams, one of them longer. */
function formerLedger(file: string): void {
  const db = new DatabaseSync(file, { timeout: 60_000 })
  expect(migrate(db, MIGRATIONS.slice(0, TEXT_ALONE)).ok).toBe(true)
  const insert = (table: string) => db.prepare(`INSERT INTO ${table} (id, version, body) VALUES (?, ?, ?)`)
  for (const [at, row] of CALLS.entries()) insert('calls').run(row.call_id, at + 1, JSON.stringify(row))
  insert('approvals').run(approvalId(1), 1, JSON.stringify({ ...approval(approvalId(1), 'denied'), identity: 'same' }))
  const entry = db.prepare('INSERT INTO audit (stream, seq, hash, body) VALUES (?, ?, ?, ?)')
  for (const [stream, length] of [
    ['other', 3],
    ['main', 5],
  ] as const) {
    let head = emptyHead(stream)
    for (let seq = 1; seq <= length; seq += 1) {
      const linked = linkEntry(head, entryParts(draft(`${stream} ${seq}`)), (text) => hash('sha256', text))
      entry.run(stream, seq, linked.head.hash, linked.text)
      head = linked.head
    }
    db.prepare('INSERT INTO heads (stream, seq, hash) VALUES (?, ?, ?)').run(stream, head.seq, head.hash)
  }
  db.close()
}

test('a ledger with rows only as text opens with every row, listing and chain, and can be continued', async () => {
  const file = join(folder(), 'ledger.db')
  formerLedger(file)
  const store = await openStore(file, { alone: true })
  const [first] = CALLS
  if (first === undefined) throw new Error('there is no first call')
  const listed = await store.list('calls', {}, { limit: 10 })
  expect(listed.map(({ row, version, cursor }) => [row, version, cursor])).toEqual(
    CALLS.map((row, at) => [broughtOver(row), at + 1, at + 1]),
  )
  const found = async (where: Parameters<typeof store.list<'calls'>>[1]) =>
    (await store.list('calls', where, { limit: 10 })).map(({ row }) => row.call_id)
  expect(await found({ state: 'executing' })).toEqual([callId(1)])
  expect(await found({ state: 'unknown' })).toEqual([callId(3)])
  expect(await found({ identity: 'same' })).toEqual([callId(1), callId(2)])
  expect(await found({ idempotency_key: KEY })).toEqual([callId(2)])
  expect(await found({ due: 'verify' })).toEqual([callId(4)])
  expect(await found({ ended_day: '3' })).toEqual([callId(2)])
  const identity = JSON.stringify(['agent:a', 'ada', first.tool_id, first.args_hash])
  expect(await store.list('approvals', { identity }, { limit: 10 })).toHaveLength(1)
  expect(await wholeChain(store, 'main')).toHaveLength(5)
  expect(await wholeChain(store, 'other')).toHaveLength(3)

  const swap = { kind: 'swap', table: 'calls', id: first.call_id, from: 1 } as const
  const to = { ...first, state: 'failed' } as const
  expect(await store.commit([{ ...swap, to }, newCall(callId(5)), note('next')])).toBe('committed')
  expect(await store.row('calls', first.call_id)).toEqual({ version: 2, row: to, cursor: 1 })
  expect((await store.row('calls', callId(5)))?.cursor).toBe(5)
  expect(await found({ state: 'executing' })).toEqual([])
  expect(await wholeChain(store, 'main')).toHaveLength(6)
  await store.close()

  const other = await openStore(file, { stream: 'other' })
  await other.commit([note('next')])
  expect(await wholeChain(other, 'other')).toHaveLength(4)
  expect(await wholeChain(other, 'main')).toHaveLength(6)
  await other.close()
})
