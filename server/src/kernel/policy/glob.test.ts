import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob, parseGlob } from './glob.ts'

/** The definition itself, written for clarity instead of speed. */
function naive(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern.startsWith('*')) {
    return Array.from({ length: name.length + 1 }, (_, at) => at).some((at) => naive(pattern.slice(1), name.slice(at)))
  }
  return name !== '' && (pattern[0] === '?' || pattern[0] === name[0]) && naive(pattern.slice(1), name.slice(1))
}

describe('glob', () => {
  test.each([
    ['mail__send', 'mail__send', true],
    ['mail__send', 'mail__sent', false],
    ['mail__*', 'mail__send', true],
    ['mail__*', 'mail__', true],
    ['mail__*', 'email__send', false],
    ['*__delete*', 'files__delete_all', true],
    ['*__delete', 'files__delete_all', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['?', '', false],
    ['?ad', 'bad', true],
    ['*', '', true],
  ])('%s over %s is %s', (pattern, name, expected) => {
    expect(matchesGlob(parseGlob(pattern), name)).toBe(expected)
  })

  test('agrees with the definition on every small pattern and name', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 7 })
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 7 })
    fc.assert(
      fc.property(patterns, letters, (pattern, name) => {
        expect(matchesGlob(parseGlob(pattern), name)).toBe(naive(pattern, name))
      }),
      { numRuns: 3000 },
    )
  })

  test('every matching name has its prefix and suffix', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 7 })
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 5 })
    fc.assert(
      fc.property(patterns, letters, (pattern, name) => {
        const glob = parseGlob(pattern)
        if (!matchesGlob(glob, name)) return
        expect(name.startsWith(glob.prefix) && name.endsWith(glob.suffix)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})
