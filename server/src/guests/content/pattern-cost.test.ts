import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measurePattern, type Pattern, parsePattern } from './pattern-cost.ts'
import { someRuns } from '../../../test/some-of.ts'

const patternCost = (source: string, ignoreCase: boolean) => measurePattern(source, ignoreCase)?.cost
const leastLength = (source: string) => measurePattern(source, false)?.least

/** The steps a plain backtracking matcher takes at the start of a text until it matches or gives up. */
function stepsTaken(pattern: Pattern, text: string): number {
  let steps = 0
  const holds = (set: bigint, at: number): boolean =>
    at < text.length && (set >> BigInt(Math.min(text.charCodeAt(at), 128))) % 2n === 1n
  const run = (node: Pattern, at: number, then: (at: number) => boolean): boolean => {
    switch (node.is) {
      case 'set':
        steps += 1
        return holds(node.set, at) && then(at + 1)
      case 'sequence':
        return node.items.reduceRight<(at: number) => boolean>(
          (rest, item) => (from) => run(item, from, rest),
          then,
        )(at)
      case 'choice':
        return node.options.some((option) => run(option, at, then))
      case 'repeat': {
        const again = (from: number, round: number): boolean => {
          if (round < node.max && run(node.body, from, (to) => to > from && again(to, round + 1))) return true
          return round >= node.min && then(from)
        }
        return again(at, 0)
      }
      default:
        return then(at)
    }
  }
  run(pattern, 0, () => true)
  return steps
}

const piece = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'b', '[ab]', '[^a]', '.') },
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  pattern: fc
    .array(
      fc.oneof(
        tie('atom'),
        fc
          .tuple(tie('atom'), fc.constantFrom('?', '{2}', '{0,2}', '{1,3}', '{2,4}?'))
          .map(([atom, count]) => atom + count),
        fc.tuple(tie('atom'), tie('atom')).map(([left, right]) => `(?:${left}|${right})`),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join('')),
})).pattern

describe('the cost of a pattern', () => {
  test('no text makes a backtracking matcher take more steps than the bound', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 14 })
    fc.assert(
      fc.property(piece, text, (source, within) => {
        const bound = patternCost(source, false)
        const parsed = parsePattern(source, false)
        fc.pre(bound !== undefined && parsed !== undefined && bound < 1e5)
        if (parsed !== undefined) expect(stepsTaken(parsed, within)).toBeLessThanOrEqual(bound ?? 0)
      }),
      { numRuns: someRuns(3000) },
    )
  })

  test('a token of fixed parts costs about its length', () => {
    expect(patternCost('ab_[a-z0-9]{36}(?![\\w-])', false)).toBeLessThan(60)
  })

  test('parts that share no character are added, parts that do are multiplied', () => {
    const apart = patternCost('[a-z]{1,50}=[0-9]{1,50}!', false) ?? 0
    const shared = patternCost('[a-z]{1,50}[a-m]{1,50}!', false) ?? 0
    expect(apart).toBeLessThan(200)
    expect(shared).toBeGreaterThan(2000)
  })

  test('nested repeats cost more than any rule is allowed', () => {
    expect(patternCost('(?:a{1,20}){1,20}b', false)).toBeGreaterThan(1e9)
    expect(patternCost('(?:a|a){1,40}b', false)).toBeGreaterThan(1e9)
  })

  test.each(['a*', 'a+b', 'a{3,}', '(?:ab)*'])('%s has no bound', (source) => {
    expect(patternCost(source, false)).toBe(Infinity)
  })

  test.each(['(a)\\1', '(?<n>a)\\k<n>', '\\p{L}', '(?i:a)', '\\cA', '\\u{41}', '[a-\\d]', '[\\B]', 'a)|(?:b'])(
    '%s is outside the subset',
    (source) => {
      expect(patternCost(source, false)).toBeUndefined()
    },
  )

  test('a class has the characters that the engine matches with it; all beyond ASCII count as one', () => {
    const sets = ['[b-d]', '\\x62', '[\\b]', '[\\w-]', '.', '\\s', '[^a]', '[\\\\u00e9]', '\\u00e9'].map((source) => {
      const parsed = parsePattern(source, false)
      const [item] = parsed?.is === 'sequence' ? parsed.items : []
      return item?.is === 'set' ? [source, item.set.toString(16)] : undefined
    })
    expect(Object.fromEntries(sets.filter((each) => each !== undefined))).toEqual({
      '[b-d]': '1c000000000000000000000000',
      '\\x62': '4000000000000000000000000',
      '[\\b]': '100',
      '[\\w-]': '7fffffe87fffffe03ff200000000000',
      '.': '1ffffffffffffffffffffffffffffdbff',
      '\\s': '100000000000000000000000100003e00',
      '[^a]': '1fffffffdffffffffffffffffffffffff',
      '[\\\\u00e9]': '200020100000000201000000000000',
      '\\u00e9': '100000000000000000000000000000000',
    })
  })

  test('letter case is ignored only if the rule says so', () => {
    expect(patternCost('[a-z]{1,50}[A-Z]{1,50}!', false)).toBeLessThan(200)
    expect(patternCost('[a-z]{1,50}[A-Z]{1,50}!', true)).toBeGreaterThan(2000)
  })
})

describe('the least length of a pattern', () => {
  test('law: no match is shorter', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 14 })
    fc.assert(
      fc.property(piece, text, (source, within) => {
        const match = new RegExp(source).exec(within)
        if (match !== null) expect(match[0].length).toBeGreaterThanOrEqual(leastLength(source) ?? 0)
      }),
      { numRuns: someRuns(3000) },
    )
  })

  test('counts the shortest choice, the fewest repeats, and nothing for what only looks', () => {
    expect(leastLength('(?<!x)ab_(?:c|de){3,5}f?(?![\\w-])')).toBe(6)
  })
})
