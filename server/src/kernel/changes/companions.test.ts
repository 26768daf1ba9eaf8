import { expect, test } from 'vitest'
import type { Change } from '../ports/ledger.ts'
import { withCompanions, type Companion } from './companions.ts'

const once = (key: string): Change => ({ kind: 'once', key, until: 1 })
const keyed = (key: string): Companion => ({ add: (changes) => changes.map(() => once(key)) })
const renamed: Companion = {
  stamp: (change) => (change.kind === 'once' && change.key === 'old' ? { ...change, key: 'new' } : change),
}

async function committed(companions: readonly Companion[], changes: readonly Change[]): Promise<readonly Change[]> {
  let seen: readonly Change[] = []
  await withCompanions({ commit: async (all) => ((seen = all), 'committed') }, companions).commit(changes)
  return seen
}

test('what companions add comes last, in their order, and each sees only the commit that was asked for', async () => {
  const all = await committed([keyed('first'), keyed('second')], [once('a'), once('b')])
  expect(all.map((change) => change.kind === 'once' && change.key)).toEqual([
    'a',
    'b',
    'first',
    'first',
    'second',
    'second',
  ])
})

test('a stamp changes every change, also those of other companions, and keeps its place', async () => {
  expect(await committed([renamed, keyed('old')], [once('a'), once('old')])).toEqual([
    once('a'),
    once('new'),
    once('new'),
    once('new'),
  ])
})

test('a commit about which nobody says anything is passed on as it is', async () => {
  const changes = [once('a')]
  expect(await committed([renamed, { add: () => [] }], changes)).toBe(changes)
})
