import * as fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PauseRow } from '../../../kernel/contract/pause.ts'
import type { Change, Ledger } from '../../../kernel/ports/ledger.ts'
import type { Tables } from '../../../kernel/ports/reads.ts'
import { join } from 'node:path'
import { newCall } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { lastLabels } from './last-labels.ts'
import { rememberReads } from './remember-reads.ts'

const folder = freshFolders()
const freshFile = () => join(folder(), 'ledger.db')

const SCOPES = ['all', 'caller:agent:one', 'tool:desk__read'] as const
type Scope = (typeof SCOPES)[number]

const pause = (scope: Scope, reason: string): PauseRow => ({
  v: 1,
  scope,
  effect: 'block',
  active: true,
  by: 'admin:ana',
  reason,
  at: 1,
})

const swap = (scope: Scope, from: number | 'absent', reason: string): Change => ({
  kind: 'swap',
  table: 'pauses',
  id: scope,
  from,
  to: pause(scope, reason),
})

const callOf = (id: string, identity: string): Change => newCall(id, { identity })

test('law: whatever was read before, a read sees every commit that has returned', async () => {
  const store = await openStore(freshFile(), { alone: true })
  const plain = await openStore(freshFile())
  const steps = fc.array(
    fc.record({ scope: fc.constantFrom(...SCOPES), act: fc.constantFrom('row', 'list', 'commit', 'lose') }),
    { minLength: 1, maxLength: 30 },
  )
  let reason = 0
  let known = 0
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      for (const { scope, act } of steps) {
        const cached = store.known_rows?.row('pauses', scope)
        const [ours, theirs] = await Promise.all([store.row('pauses', scope), plain.row('pauses', scope)])
        expect(ours).toEqual(theirs)
        if (cached !== undefined) expect(cached.held).toEqual(theirs)
        known += cached === undefined ? 0 : 1
        const page = { limit: 10 }
        if (act === 'list') expect(await store.list('pauses', {}, page)).toEqual(await plain.list('pauses', {}, page))
        if (act !== 'commit' && act !== 'lose') continue
        const from = act === 'lose' ? 99_999 : (theirs?.version ?? 'absent')
        const change = swap(scope, from, String((reason += 1)))
        expect(await store.commit([change])).toEqual(await plain.commit([change]))
      }
    }),
    { numRuns: 40 },
  )
  // It is cached often enough to be useful.
  expect(known).toBeGreaterThan(0)
  await store.close()
  await plain.close()
})

test('reads that race with a commit are right as soon as it has returned', async () => {
  const store = await openStore(freshFile(), { alone: true })
  await store.commit([swap('all', 'absent', '0')])
  for (let version = 1; version <= 50; version += 1) {
    const committed = store.commit([swap('all', version, String(version))])
    const racing = Array.from({ length: 5 }, () => store.row('pauses', 'all'))
    expect(await committed).toBe('committed')
    expect((await store.row('pauses', 'all'))?.row.reason).toBe(String(version))
    await Promise.all(racing)
  }
  await store.close()
})

const labelOf = (id: string, session: string): Change => ({
  kind: 'swap',
  table: 'labels',
  id,
  from: 'absent',
  to: { v: 1, label_id: id, session, at: 1, kind: 'log', source: {}, text: id },
})

test('law: the last label of a session is only called the last when no commit with another one has returned', async () => {
  const store = await openStore(freshFile(), { alone: true })
  const steps = fc.array(
    fc.record({ session: fc.constantFrom('a', 'b'), act: fc.constantFrom('read', 'commit', 'race', 'lose') }),
    { minLength: 1, maxLength: 30 },
  )
  let count = 0
  let known = 0
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      for (const { session, act } of steps) {
        const page = { limit: 1000, after: 0 }
        if (act === 'read') await store.list('labels', { session }, page)
        const label = labelOf(`l${(count += 1)}`, session)
        if (act === 'commit') await store.commit([label])
        if (act === 'race') await Promise.all([store.commit([label]), store.list('labels', { session }, page)])
        if (act === 'lose') await store.commit([label, swap('all', 99_999, 'x')])
        const last = (await openedList(session)).at(-1)?.cursor ?? 0
        for (let cursor = 0; cursor < last; cursor += 1)
          expect(store.known_rows?.isLastLabel(session, cursor)).toBe(false)
        if (store.known_rows?.isLastLabel(session, last) === true) known += 1
      }
    }),
    { numRuns: 30 },
  )
  // It is known often enough to be useful.
  expect(known).toBeGreaterThan(0)
  await store.close()

  /** Newest first, because such reads are not cached. */
  async function openedList(session: string) {
    return (await store.list('labels', { session }, { limit: 1000, newest_first: true })).toReversed()
  }
})

test('law: the labels after a cursor are those that are stored, from memory or not, whatever commits were lost beside them', async () => {
  const store = await openStore(freshFile(), { alone: true })
  const steps = fc.array(
    fc.record({
      session: fc.constantFrom('a', 'b'),
      act: fc.constantFrom('read', 'commit', 'together', 'expire', 'race'),
      after: fc.nat({ max: 3 }),
      limit: fc.constantFrom(2, 1000),
    }),
    { minLength: 1, maxLength: 30 },
  )
  let count = 0
  let known = 0
  const cursors = new Map<string, number>()
  const next = (session: string) => labelOf(`l${(count += 1)}`, session)
  const stored = async (session: string) =>
    (await store.list('labels', { session }, { limit: 100_000, newest_first: true })).toReversed()
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      for (const { session, act, after, limit } of steps) {
        const cursor = cursors.get(session) ?? 0
        if (act === 'commit') await store.commit([next(session), next('b'), next(session)])
        if (act === 'together') {
          const lost = [next('a'), next(session), swap('all', 99_999, 'x')]
          await Promise.all([store.commit([next(session)]), store.commit(lost), store.commit([next('b')])])
        }
        if (act === 'race') {
          const list = store.list('labels', { session }, { limit: 1000, after: cursor })
          await Promise.all([store.commit([next(session)]), list, store.commit([next(session)])])
        }
        const all = await stored(session)
        const last = all.at(-1)
        if (act === 'expire' && last !== undefined) {
          const { text: _, ...to } = last.row
          const { label_id: id } = last.row
          await store.commit([{ kind: 'swap', table: 'labels', id, from: last.version, to }])
        }
        const from = Math.max(0, cursor - after)
        if (store.known_rows?.isLastLabel(session, last?.cursor ?? 0) === true) known += 1
        const page = await store.list('labels', { session }, { limit, after: from })
        const wanted = (await stored(session)).filter((label) => label.cursor > from).slice(0, limit)
        expect(page).toEqual(wanted)
        cursors.set(session, Math.max(cursor, page.at(-1)?.cursor ?? 0))
      }
    }),
    { numRuns: 15 },
  )
  expect(known).toBeGreaterThan(0)
  await store.close()
})

test('a session reads its new labels from memory', async () => {
  let asked = 0
  const labels = lastLabels()
  const commit = (changes: readonly Change[]) => {
    labels.stored(changes, [7].values())
    return Promise.resolve('committed' as const)
  }
  const list = () => {
    asked += 1
    return Promise.resolve([])
  }
  const fake = { commit, list, row: () => Promise.resolve(undefined) }
  const store = rememberReads<Ledger & Pick<Tables, 'row' | 'list'>>(fake, labels)
  const read = (after: number) => store.list('labels', { session: 's' }, { limit: 10, after })
  expect(await read(5)).toEqual([])
  await store.commit([labelOf('l1', 's')])
  expect((await read(5)).map(({ cursor }) => cursor)).toEqual([7])
  expect(await read(7)).toEqual([])
  expect(asked).toBe(1)
  // An earlier cursor than the one that was read last.
  await read(3)
  expect(asked).toBe(2)
})

/** Labels above a store that has none, and how often the store was read. */
function emptyStore() {
  let reads = 0
  const labels = lastLabels()
  const list = async () => {
    reads += 1
    return []
  }
  const read = (session: string, after: number) => labels.list({ session }, { limit: 200, after }, list)
  return { labels, read, asked: () => reads }
}

test('labels that a session has read leave room for those of others', async () => {
  const { labels, read, asked } = emptyStore()
  let cursor = 0
  for (let session = 0; session < 200; session += 1) {
    const name = `s${session}`
    await read(name, cursor)
    const before = cursor
    const stored = Array.from({ length: 15 }, (_, at) => labelOf(`${name} ${at}`, name))
    labels.stored(stored, stored.map(() => (cursor += 1)).values())
    expect(await read(name, before)).toHaveLength(15)
  }
  expect(asked()).toBe(200)
})

test('labels that nobody reads leave room for those of others, too', async () => {
  const { labels, read, asked } = emptyStore()
  await read('unread', 0)
  for (let at = 1; at <= 999; at += 1) labels.stored([labelOf(`u${at}`, 'unread')], [at].values())
  await read('s', 999)
  for (let at = 1_000; at < 1_100; at += 2) {
    labels.stored([labelOf(`l${at}`, 's'), labelOf(`m${at}`, 's')], [at, at + 1].values())
    await read('s', at - 1)
  }
  // Once for each session, and once after the cache was full.
  expect(asked()).toBe(3)
})

/** Runs SQL in another process, which has no key. */
function byHand(file: string, sql: string): void {
  const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec(process.argv[2])`
  execFileSync(process.execPath, ['-e', script, file, sql], { stdio: ['ignore', 'ignore', 'pipe'] })
}

describe('another process writes to the same file', () => {
  /** A session whose first label was read; the next two are only in memory and in the file. */
  async function withTwoUnread() {
    const file = freshFile()
    const forged: string[] = []
    const store = await openStore(file, { alone: true, onForged: ({ id }) => forged.push(id) })
    onTestFinished(() => store.close())
    await store.commit([labelOf('l1', 's')])
    const read = (after: number) => store.list('labels', { session: 's' }, { limit: 10, after })
    const [first] = await read(0)
    const after = first?.cursor ?? 0
    await store.commit([labelOf('l2', 's')])
    await store.commit([labelOf('l3', 's')])
    const unread = async () => (await read(after)).map(({ row }) => row.label_id)
    /** A commit that has nothing to do with the session. */
    const next = () => store.commit([swap('tool:desk__read', 'absent', 'x')])
    return { file, store, unread, next, after, forged }
  }

  test('a label that it stored is read after the next commit', async () => {
    const { file, store, unread, next, after } = await withTwoUnread()
    await unread()
    const last = after + 2
    expect(store.known_rows?.isLastLabel('s', last)).toBe(true)
    const other = new URL('./label-writer.suite.ts', import.meta.url)
    execFileSync(process.execPath, [fileURLToPath(other), file, 's'], { stdio: ['ignore', 'ignore', 'pipe'] })
    await next()
    expect(store.known_rows?.isLastLabel('s', last)).toBe(false)
    const found = await store.list('labels', { session: 's' }, { limit: 10, after: last })
    expect(found.map(({ row }) => row.label_id)).toEqual(['theirs'])
  })

  test('a label that it deleted is not read', async () => {
    const { file, unread, next } = await withTwoUnread()
    byHand(file, `DELETE FROM labels WHERE id = 'l2'`)
    await next()
    expect(await unread()).toEqual(['l3'])
  })

  test('a label after the deleted newest one has a new cursor, so a session that has read that one reads it', async () => {
    const { file, store, after } = await withTwoUnread()
    const read = async (from: number) =>
      (await store.list('labels', { session: 's' }, { limit: 10, after: from })).map(({ row }) => row.label_id)
    expect(await read(after)).toEqual(['l2', 'l3'])
    byHand(file, `DELETE FROM labels WHERE id = 'l3'`)
    await store.commit([labelOf('l4', 's')])
    expect(await read(after + 2)).toEqual(['l4'])
  })

  test('that is so for the first label that a writer stores, too', async () => {
    const { file, store: first, after } = await withTwoUnread()
    await first.close()
    const store = await openStore(file, { alone: true })
    onTestFinished(() => store.close())
    byHand(file, `DELETE FROM labels WHERE id = 'l3'`)
    await store.commit([labelOf('l4', 's')])
    const found = await store.list('labels', { session: 's' }, { limit: 10, after: after + 2 })
    expect(found.map(({ row }) => row.label_id)).toEqual(['l4'])
  })

  test('a label that it changed makes the session unreadable', async () => {
    const { file, unread, next, forged } = await withTwoUnread()
    byHand(file, `UPDATE labels SET body = replace(body, '"text":"l2"', '"text":"ok"') WHERE id = 'l2'`)
    await next()
    await expect(unread()).rejects.toThrow('was not written by this gate')
    expect(forged).toEqual(['l2'])
  })

  test('a cached row that it deleted is gone after the next commit', async () => {
    const { file, store } = await withTwoUnread()
    await store.commit([swap('all', 'absent', 'x')])
    expect(await store.row('pauses', 'all')).toBeDefined()
    byHand(file, `DELETE FROM pauses WHERE id = 'all'`)
    await store.commit([labelOf('l4', 's')])
    expect(store.known_rows?.row('pauses', 'all')).toBeUndefined()
    expect(await store.row('pauses', 'all')).toBeUndefined()
  })
})

test('law: a call is found by its identity, whoever wrote it and whenever, and under no other identity', async () => {
  const file = freshFile()
  const before = await openStore(file)
  const early = Array.from({ length: 4500 }, (_, at) => `early ${at}`)
  await Promise.all(early.map((identity, at) => before.commit([callOf(`e${at}`, identity)])))
  await before.close()
  const store = await openStore(file, { alone: true })
  const found = async (identity: string) => (await store.list('calls', { identity }, { limit: 3 })).length
  // While the early ones are still being read, and afterwards.
  for (let round = 0; round < 40; round += 1) {
    const identity = `late ${round}`
    expect(await found(identity)).toBe(0)
    expect(await store.commit([callOf(`l${round}`, identity)])).toBe('committed')
    expect(await found(identity)).toBe(1)
    for (const known of early.slice(round * 100, round * 100 + 100)) expect(await found(known)).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const identity of early) expect(await found(identity)).toBe(1)
  await store.close()
})

test('a row that certainly does not exist is not looked up, and an identity whose commit was lost only costs a lookup', async () => {
  let asked = 0
  const known = new Set<string>()
  const store = rememberReads<Ledger & Pick<Tables, 'row' | 'list'>>(
    {
      commit: () => Promise.resolve({ lost: 0 }),
      row: () => Promise.resolve(undefined),
      list: () => {
        asked += 1
        return Promise.resolve([])
      },
    },
    lastLabels(),
    { calls: { has: (value) => known.has(value), note: (value) => void known.add(value) } },
  )
  const look = (identity: string) => store.list('calls', { identity }, { limit: 1 })
  expect(await look('one')).toEqual([])
  expect(asked).toBe(0)
  await store.commit([callOf('c1', 'one')])
  expect(await look('one')).toEqual([])
  expect(asked).toBe(1)
  await store.list('calls', { state: 'executing' }, { limit: 1 })
  expect(asked).toBe(2)
})

test('a failed read is repeated, and a commit with an unknown outcome clears the cache too', async () => {
  let asked = 0
  let fate: () => Promise<'committed'> = () => Promise.resolve('committed')
  const store = rememberReads<Ledger & Pick<Tables, 'row' | 'list'>>(
    {
      commit: () => fate(),
      row: () => {
        asked += 1
        return asked === 1 ? Promise.reject(new Error('the disk is away')) : Promise.resolve(undefined)
      },
      list: () => Promise.resolve([]),
    },
    lastLabels(),
  )
  await expect(store.row('pauses', 'all')).rejects.toThrow('the disk is away')
  await store.row('pauses', 'all')
  await store.row('pauses', 'all')
  expect(asked).toBe(2)
  fate = () => Promise.reject(new Error('the thread is gone'))
  await expect(store.commit([swap('all', 1, 'x')])).rejects.toThrow('the thread is gone')
  await store.row('pauses', 'all')
  expect(asked).toBe(3)
})
