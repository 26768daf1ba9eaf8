import { expect, test } from 'vitest'
import type { Hit } from './create-index.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import { habitsTable } from './habits-table.ts'
import { byHabit, withHabit, type Habit } from './habits.ts'

const hit = (id: string, score_hint: number): Hit => ({
  id,
  score: score_hint * 10,
  score_hint,
  reason: { fields: ['name'], terms: [] },
})
const HITS = [hit('a', 0.6), hit('b', 0.5), hit('c', 0.3)]
const ids = (habits: readonly Habit[], query: string, hits = HITS) => byHabit(hits, habits, query).map(({ id }) => id)
const after = (...ran: readonly (readonly [string, string])[]) =>
  ran.reduce<readonly Habit[]>((habits, [query, id]) => withHabit(habits, query, id), [])

test('a tool that was run after a similar query ranks above one that only contains the words', () => {
  const habits = after(['send the weekly report', 'c'])
  expect(ids(habits, 'sending a weekly report')).toEqual(['c', 'a', 'b'])
  expect(ids(habits, 'delete an old invoice')).toEqual(['a', 'b', 'c'])
})

test('of two habits the more frequent one wins', () => {
  const [twice, once] = [['post news', 'b'] as const, ['post news', 'c'] as const]
  expect(ids(after(twice, twice, once), 'post news')[0]).toBe('b')
})

test('nothing is found by habit alone, and a match by name stays first', () => {
  expect(ids(after(['post news', 'z']), 'post news')).toEqual(['a', 'b', 'c'])
  expect(ids(after(['post news', 'c']), 'post news', [hit('n', 1), ...HITS])).toEqual(['n', 'c', 'a', 'b'])
})

test('hints stay in the order of the list, and a moved tool says why', () => {
  const hits = byHabit(HITS, after(['post news', 'c']), 'post news')
  expect(hits.map(({ score_hint }) => score_hint)).toEqual([0.6, 0.5, 0.3])
  expect(hits.map(({ reason }) => reason.habit)).toEqual([true, undefined, undefined])
})

test('habits are bounded, the oldest is dropped, and words without meaning are not learned', () => {
  let habits: readonly Habit[] = []
  for (let each = 0; each < 300; each += 1) habits = withHabit(habits, `subject${each} report`, 'a')
  expect(habits).toHaveLength(200)
  expect(JSON.stringify(habits)).not.toContain('subject7"')
  expect(withHabit([], 'the of and', 'a')).toEqual([])
})

test('what a person erased is the habits of their own callers, whatever other callers are called', () => {
  const rowOf = (caller: string) => ({ v: 1, caller, habits: [{ words: ['a'], tool_id: 'b', times: 1 }] }) as const
  const erased = (caller: string) =>
    habitsTable.erased?.(
      { row: rowOf(caller), version: 3, cursor: 1 },
      { user: 'ana', callers: new Set(['agent:a']), now: 1 },
    )
  const own = callerIdentity({ id: 'agent:a', user: 'ana' })
  const to = { v: 1, caller: own, habits: [] }
  expect(erased(own)).toEqual([{ kind: 'swap', table: 'habits', id: own, from: 3, to }])
  expect(erased(callerIdentity({ id: 'agent:a', user: 'ben' }))).toEqual([])
  expect(erased(callerIdentity({ id: 'agent:b', user: 'ana' }))).toEqual([])
})
