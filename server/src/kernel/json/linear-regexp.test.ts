import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearRegExp } from './linear-regexp.ts'
import { someRuns } from '../../../test/some-of.ts'

describe('linear regular expressions', () => {
  test.each<[string, string]>([
    ['nested repetition', '^(a+)+$'],
    ['alternatives that overlap', '^(a|a)*$'],
    ['many repetitions in a row', '^a*a*a*a*a*a*a*a*b$'],
    ['repetition inside a lookahead', '^(?=(a+)+$)a'],
    ['repetition inside a lookbehind', '(?<=^(a|aa)+)b'],
    ['an unanchored repetition', 'a+b'],
    ['repetition of nothing', '^(a*)*$'],
  ])('%s terminates on a long text that does not match', (_, pattern) => {
    expect(linearRegExp(pattern).test(`${'a'.repeat(20_000)}!`)).toBe(false)
  })

  test('a text that would take too long throws instead of answering', () => {
    const pattern = linearRegExp('(.{0,4000}x){2}y')
    expect(() => pattern.test('a'.repeat(100_000))).toThrow(RangeError)
  })

  test.each(['(', '[b-a]', '*', '(a)\\1', '(?<n>a)\\k<n>', '(?i:a)', '(.{1,500}){100}', '\\p{Nonsense}', '\\p{L}\\-'])(
    '%s is rejected',
    (pattern) => {
      expect(() => linearRegExp(pattern)).toThrow(SyntaxError)
    },
  )

  test('a repeated lookaround is built once, so that a small pattern stays small', () => {
    expect(linearRegExp('^((?=a{500})a){30}').test('a'.repeat(600))).toBe(true)
  })

  test('patterns that escape more than `u` allows are parsed without it', () => {
    expect(linearRegExp('^[\\w-.]+\\@x\\-y$').test('a.b-c@x-y')).toBe(true)
    expect(linearRegExp('^a{,3}\\-$').test('a{,3}-')).toBe(true)
  })

  test('a character outside the basic plane is one character', () => {
    expect(linearRegExp('^.$').test('😀')).toBe(true)
    expect(linearRegExp('^\\ud83d\\ude00$').test('😀')).toBe(true)
    expect(linearRegExp('^[😀-😂]{2}$').test('😁😂')).toBe(true)
    expect(linearRegExp('^\\p{Letter}+$').test('añβ')).toBe(true)
  })
})

describe('the shortcut for sequences of characters', () => {
  test('gives the same answers below and above its limit', () => {
    const row = linearRegExp('^[ab]+c?x{2}$')
    for (const length of [1, 50, 97, 98, 99, 5_000]) {
      expect(row.test(`${'ab'.repeat(length)}cxx`)).toBe(true)
      expect(row.test(`${'ab'.repeat(length)}cx`)).toBe(false)
    }
  })
})

describe('the same answers as the native engine', () => {
  const leaf = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\w',
    '\\d',
    '\\s',
    '\\S',
    '[ab]',
    '[^a]',
    '[\\d_-]',
    '\\u0061',
    '\\x62',
    '\\.',
    '\\n',
    '^',
    '$',
    '\\b',
    '\\B',
    '\\p{L}',
    '[\\]a]',
    '\\u{1f600}',
    'é',
    '/',
    '',
  )
  const quantifier = fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '{0}')
  const { pattern } = fc.letrec<{ pattern: string; group: string; term: string }>((tie) => ({
    group: fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!'), tie('pattern'), quantifier)
      // With `u` a lookaround takes no quantifier.
      .map(([open, inner, many]) => `${open}${inner})${/^\(\?[=!<]/.test(open) ? '' : many}`),
    term: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.tuple(leaf, quantifier).map(([one, many]) => (/^(\^|\$|\\b|\\B|)$/i.test(one) ? one : one + many)),
      tie('group'),
    ),
    pattern: fc.oneof(
      { depthSize: 'small' },
      fc.array(tie('term'), { maxLength: 4 }).map((terms) => terms.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}|${other}`),
    ),
  }))
  // No characters outside the basic plane here: V8 also looks for empty matches in the middle of a pair.
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '1', '_', ' ', '\n', '.', ']', 'é', '/'),
    maxLength: 8,
  })

  test('for any pattern without back references and any text', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
        const native = new RegExp(source, 'u')
        // An empty group prevents the shortcut to the native engine.
        const linear = linearRegExp(`(?:)${source.includes('|') ? `(?:${source})` : source}`)
        expect(texts.map((one) => [one, linear.test(one)])).toEqual(texts.map((one) => [one, native.test(one)]))
      }),
      { numRuns: someRuns(5_000) },
    )
  })
})
