import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Change } from '../../../kernel/ports/ledger.ts'
import type { CallRow } from '../../../kernel/contract/call.ts'
import { call, newCall } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { packCommit } from './packed-commit.ts'
import { writtenRows } from './written-rows.ts'

const folder = freshFolders()
const swap = (id: string, from: number, to: CallRow): Change => ({ kind: 'swap', table: 'calls', id, from, to })

async function storedAfter(first: CallRow, then: CallRow) {
  const file = join(folder(), 'ledger.db')
  const store = await openStore(file)
  await store.commit([{ kind: 'swap', table: 'calls', id: 'c', from: 'absent', to: first }])
  expect(await store.commit([swap('c', 1, then)])).toBe('committed')
  expect((await store.row('calls', 'c'))?.row).toEqual(then)
  await store.close()
  const db = new DatabaseSync(file, { timeout: 60_000 })
  const stored = db.prepare('SELECT body, later FROM calls').get()
  db.close()
  return stored
}

test('for the outcome of a call that this process started only the difference is written', async () => {
  const first = call('c', { state: 'executing' })
  const stored = await storedAfter(first, { ...first, state: 'executed', ended_at: 7 })
  expect(JSON.parse(String(stored?.['later']))).toEqual({ state: 'executed', ended_at: 7 })
})

test('arguments that are replaced or deleted do not stay in the file', async () => {
  const first = call('c', { state: 'pending', canonical_args: '{"secret":1}', idempotency_key: 'secret' })
  const { idempotency_key: _, ...without } = first
  for (const then of [
    { ...first, canonical_args: '{}', idempotency_key: 'k' },
    { ...without, canonical_args: '{}' },
  ]) {
    const stored = await storedAfter(first, then)
    expect(JSON.stringify(stored)).not.toContain('secret')
  }
})

test('a row is remembered only at its newest version, until the call has ended', () => {
  const rows = writtenRows()
  const commit = (...changes: Change[]) => rows.note(changes, packCommit(changes, rows.rowAt))
  const first = call('c', { state: 'executing' })
  commit(newCall('c', first))
  expect(rows.rowAt('calls', 'c', 1)).toEqual(first)
  expect(rows.rowAt('calls', 'c', 2)).toBeUndefined()
  expect(rows.rowAt('approvals', 'c', 1)).toBeUndefined()
  commit(swap('c', 1, { ...first, state: 'unknown' }))
  expect(rows.rowAt('calls', 'c', 1)).toBeUndefined()
  expect(rows.rowAt('calls', 'c', 2)).toMatchObject({ state: 'unknown' })
  commit(swap('c', 2, { ...first, state: 'failed' }))
  expect(rows.rowAt('calls', 'c', 3)).toBeUndefined()
})

test('a row whose commit was lost is not remembered', async () => {
  const file = join(folder(), 'ledger.db')
  const [one, other] = [await openStore(file), await openStore(file)]
  const theirs = call('c', { state: 'executing', trace: 'theirs' })
  await other.commit([newCall('c', theirs)])
  expect(await one.commit([newCall('c', { state: 'executing', trace: 'ours' })])).toEqual({ lost: 0 })
  const ended: CallRow = { ...theirs, trace: 'ours', state: 'executed' }
  expect(await one.commit([swap('c', 1, ended)])).toBe('committed')
  expect((await one.row('calls', 'c'))?.row).toEqual(ended)
  await one.close()
  await other.close()
})

test('a later call with the same last digits replaces an earlier one', () => {
  const rows = writtenRows()
  const commit = (...changes: Change[]) => rows.note(changes, packCommit(changes, rows.rowAt))
  commit(newCall('call_1abc'), newCall('call_2abd'))
  commit(newCall('call_3abc'))
  const isKnown = (id: string) => rows.rowAt('calls', id, 1) !== undefined
  expect(['call_1abc', 'call_2abd', 'call_3abc'].map(isKnown)).toEqual([false, true, true])
  commit(swap('call_1abc', 1, call('call_1abc', { state: 'failed' })))
  expect(isKnown('call_3abc')).toBe(true)
})

test('no more rows are remembered when all of them together are too long', () => {
  const size = JSON.stringify(call('0')).length
  const rows = writtenRows(size * 3)
  const commit = (...changes: Change[]) => rows.note(changes, packCommit(changes, rows.rowAt))
  for (const id of ['0', '1', '2', '3']) commit(newCall(id))
  const known = () => ['0', '1', '2', '3'].map((id) => rows.rowAt('calls', id, 1) !== undefined)
  expect(known()).toEqual([true, true, true, false])
  commit(swap('1', 1, call('1', { state: 'failed' })))
  commit(newCall('3'))
  expect(known()).toEqual([true, false, true, true])
})
