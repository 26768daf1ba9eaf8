import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildWordFinder } from './word-finder.ts'

/** Every occurrence of every word, as found by the automaton. */
function hits(words: readonly string[], text: string): string[] {
  const { symbols, width, next, first_end, ends } = buildWordFinder(words)
  const found: string[] = []
  let state = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
    expect(state >= first_end).toBe(ends[state] !== undefined)
    for (const index of ends[state] ?? []) found.push(`${at + 1}:${index}`)
  }
  return found.sort()
}

function naive(words: readonly string[], text: string): string[] {
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const found: string[] = []
  words.forEach((word, index) => {
    for (let at = 1; at <= lower.length; at++) if (lower.slice(0, at).endsWith(word)) found.push(`${at}:${index}`)
  })
  return found.sort()
}

test('the automaton finds exactly the words that a search for each of them finds', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '-', '1'), minLength: 1, maxLength: 5 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '-', '1', 'é', ' '), maxLength: 40 })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), text, (words, within) => {
      expect(hits(words, within)).toEqual(naive(words, within))
    }),
    { numRuns: 1000 },
  )
})

test('a finder without words finds nothing', () => {
  expect(hits([], 'anything')).toEqual([])
})
