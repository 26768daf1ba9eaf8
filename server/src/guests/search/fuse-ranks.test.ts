import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hit } from './create-index.ts'
import { BY_NAME, fuseRanks } from './fuse-ranks.ts'

const DEFAULT_WEIGHT = 0.5
const hit = (id: string, score_hint: number): Hit => ({
  id,
  score: 1,
  score_hint,
  reason: { fields: [], terms: ['x'] },
})
/** Words that are not sure at all: the model counts as much as it ever does. */
const unsure = (ids: readonly string[]): Hit[] => ids.map((id) => hit(id, 0))

test('what both lists put fifth does not outrank what the words put first', () => {
  const words = unsure(['a', 'b', 'c', 'd', 'both'])
  const [first] = fuseRanks(words, ['v', 'w', 'x', 'y', 'both'], 5, DEFAULT_WEIGHT)
  expect(first?.id).toBe('a')
})

test('what the model puts first gains a place, and what only the model finds comes after the first three by words', () => {
  const words = unsure(['a', 'b', 'c', 'd', 'e'])
  expect(fuseRanks(words, ['b'], 5, DEFAULT_WEIGHT).map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd', 'e'])
  const found = fuseRanks(words, ['new'], 5, DEFAULT_WEIGHT).map(({ id }) => id)
  expect(found.slice(0, 3)).toEqual(['a', 'b', 'c'])
  expect(found).toContain('new')
})

test('a model without weight that alone finds something gives it a hint of 0', () => {
  expect(fuseRanks([], ['a'], 5, 0)).toMatchObject([{ id: 'a', score_hint: 0 }])
})

test('hits by name stay first, and the best hint is that of the words, whatever the model finds', () => {
  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'), { maxLength: 10 })
  const hints = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 })
  fc.assert(
    fc.property(ids, ids, hints, fc.double({ min: 0, max: 5, noNaN: true }), (ours, theirs, some, weight) => {
      const sorted = some.toSorted((a, b) => b - a)
      const words = ours.map((id, at) => hit(id, sorted[at] ?? 0))
      const named = words.filter(({ score_hint }) => score_hint >= BY_NAME)
      const fused = fuseRanks(words, theirs, 20, weight)
      expect(fused.slice(0, named.length)).toEqual(named)
      expect(new Set(fused.map(({ id }) => id))).toEqual(new Set([...ours, ...theirs]))
      for (const [at, { score_hint }] of fused.entries())
        expect(score_hint).toBeLessThanOrEqual(fused[at - 1]?.score_hint ?? words[0]?.score_hint ?? 0)
    }),
  )
})
