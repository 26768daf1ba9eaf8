import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob, parseGlob } from '../../kernel/policy/glob.ts'
import { coversGlob, coversMatch } from './covers.ts'

describe('coversGlob', () => {
  test.each([
    ['*', 'mail__*', true],
    ['mail__*', 'mail__send', true],
    ['mail__*', 'mail__*', true],
    ['mail__*', '*', false],
    ['*send', 'mail__*', false],
    ['?ail__*', 'mail__s*', true],
    ['?', '*', false],
    ['m*__*', 'm*__s?nd', true],
  ])('%s over %s: %s', (wide, narrow, expected) => {
    expect(coversGlob(wide, narrow)).toBe(expected)
  })

  test('never wrongly returns true', () => {
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 5 })
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 })
    fc.assert(
      fc.property(patterns, patterns, names, (wide, narrow, name) => {
        if (!coversGlob(wide, narrow) || !matchesGlob(parseGlob(narrow), name)) return
        expect(matchesGlob(parseGlob(wide), name)).toBe(true)
      }),
      { numRuns: 5000 },
    )
  })
})

describe('coversMatch', () => {
  test.each([
    ['no field covers all', {}, { tool: ['x__y'] }, true],
    ['a server covers its tools', { server: ['mail'] }, { tool: ['mail__send', 'mail__read*'] }, true],
    ['a server does not cover tools of unknown servers', { server: ['mail'] }, { tool: ['*__send'] }, false],
    ['a pattern of tools covers a server', { tool: ['mail__*'] }, { server: ['mail'] }, true],
    ['all risk classes cover everything', { risk: ['low', 'medium', 'high', 'critical'] as const }, {}, true],
    ['some risk classes do not', { risk: ['low', 'high'] as const }, {}, false],
    ['a tool may have no tag', { tag: ['*'] }, {}, false],
    ['a call may have no lane', { lane: ['*'] }, {}, false],
    ['every caller has an id', { caller: ['*'] }, {}, true],
    ['more effects cover fewer', { effects: ['read', 'write'] as const }, { effects: ['read'] as const }, true],
    ['fewer do not cover more', { effects: ['read'] as const }, { effects: ['read', 'write'] as const }, false],
  ])('%s', (_what, outer, inner, expected) => {
    expect(coversMatch(copy(outer), copy(inner))).toBe(expected)
  })
})

const copy = (match: object) => JSON.parse(JSON.stringify(match)) as Parameters<typeof coversMatch>[0]
