import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { AuditEntry } from '../../../kernel/contract/audit.ts'
import { newCall, note, wholeChain } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { textKey } from '../text-key.ts'

const folder = freshFolders()

/** A store with five entries, whose file is then modified directly. */
async function tampered(sql: string) {
  const file = join(folder(), 'ledger.db')
  const store = await openStore(file)
  await store.commit([newCall('c'), note('1'), note('2'), note('3'), note('4'), note('5')])
  const honest = await wholeChain(store, 'main')
  const outside = new DatabaseSync(file, { timeout: 60_000 })
  outside.exec(sql)
  outside.close()
  return { store, honest }
}

test.each(['not json', '', '[]', 'null', '"text"', '{"v":1'])(
  'an entry whose text became `%s` keeps its place and hash, and matches no chain',
  async (text) => {
    const { store, honest } = await tampered(`UPDATE audit SET body = '${text}' WHERE place = 3`)
    const entries = await store.entries('main', 1, 10)
    expect(entries).toHaveLength(5)
    expect(entries[2]).toMatchObject({
      type: 'unreadable',
      stream: 'main',
      seq: 3,
      hash: honest[2]?.hash,
      prev_hash: '',
    })
    expect(AuditEntry.safeParse(entries[2]).success).toBe(false)
    await expect(wholeChain(store, 'main')).rejects.toThrow()
    await store.close()
  },
)

test('an entry that was edited, moved or removed is returned as it is', async () => {
  const edited = await tampered(`UPDATE audit SET body = json_set(body, '$.actor', 'eve') WHERE place = 2`)
  expect((await edited.store.entries('main', 2, 1))[0]).toEqual({ ...edited.honest[1], actor: 'eve' })
  await edited.store.close()

  const moved = await tampered(`
    UPDATE audit SET place = 99 WHERE place = 2; UPDATE audit SET place = 2 WHERE place = 3; UPDATE audit SET place = 3 WHERE place = 99`)
  expect((await moved.store.entries('main', 1, 10)).map(({ seq }) => seq)).toEqual([1, 3, 2, 4, 5])
  await moved.store.close()

  const removed = await tampered('DELETE FROM audit WHERE place = 4')
  expect((await removed.store.entries('main', 1, 10)).map(({ seq }) => seq)).toEqual([1, 2, 3, 5])
  expect(await removed.store.heads()).toEqual([{ stream: 'main', seq: 5, hash: removed.honest[4]?.hash }])
  await removed.store.close()
})

test('calls whose identities share a key are listed and counted separately', async () => {
  const [one, other] = ['2042160898 n8i', '3858217151 24xb'].map(
    (end) => `the same forty characters stand at the start ${end}`,
  )
  expect(textKey(String(one))).toBe(textKey(String(other)))
  const store = await openStore(join(folder(), 'ledger.db'))
  await store.commit([newCall('1', { identity: String(one) }), newCall('2', { identity: String(other) })])
  for (const [id, identity] of [
    ['1', String(one)],
    ['2', String(other)],
  ] as const) {
    expect((await store.list('calls', { identity }, { limit: 1 })).map(({ row }) => row.call_id)).toEqual([id])
    expect(await store.count('calls', { identity })).toBe(1)
  }
  await store.close()
})
