import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Constraint } from '../contract/consent.ts'
import type { Json } from '../contract/json.ts'
import { canonicalJson } from '../json/canonical.ts'
import { below } from './json-pointer.ts'
import { permitsArgs } from './permits-args.ts'
import { someRuns } from '../../../test/some-of.ts'

const only = (constraint: Constraint, value: Json) => permitsArgs([constraint], { x: value })
const path = '/x'

describe('one constraint', () => {
  const cases: [string, Constraint, readonly Json[], readonly Json[]][] = [
    ['equals', { path, op: 'equals', value: 'a' }, ['a'], ['A', 'a ', ['a'], null, { a: 'a' }]],
    [
      'equals an object',
      { path, op: 'equals', value: { a: 1, b: [2] } },
      [{ b: [2], a: 1 }],
      [{ a: 1 }, { a: 1, b: [2, 2] }],
    ],
    ['in', { path, op: 'in', value: ['a', 2] }, ['a', 2, ['a'], [2, 'a', 'a']], ['2', 'b', [], ['a', 'b'], [['a']]]],
    [
      'prefix',
      { path, op: 'prefix', value: 'src/' },
      ['src/', 'src/a', ['src/a', 'src/b']],
      ['src', 'lib/a', 7, [], ['src/a', 'lib']],
    ],
    ['max', { path, op: 'max', value: 10 }, [10, -1, 9.5, [1, 10]], [10.1, '1', null, [], [1, 11]]],
    ['min', { path, op: 'min', value: 10 }, [10, 11], [9, '11', true]],
    ['any', { path, op: 'any' }, [1, null, [], {}, { y: 1 }, 'text'], []],
  ]
  test.each(cases)('`%s` permits matching values and nothing else', (_, constraint, fitting, others) => {
    expect(fitting.filter((value) => !only(constraint, value))).toEqual([])
    expect(others.filter((value) => only(constraint, value))).toEqual([])
  })

  test('a prefix permits what is below it, and not a value that goes up again', () => {
    const climbing = [
      'https://a.example/pub/../secret',
      'https://a.example/pub/..',
      'https://a.example/pub/%2e%2E/secret',
      'https://a.example/pub/.%2e/secret',
      'https://a.example/pub/.\t./secret',
      'https://a.example/pub/x\\..\\secret',
      'https://a.example/pub/x%2f..%2Fsecret',
      'https://a.example/pub/..;/secret',
      'https://a.example/pub/..;a=1/secret',
      'https://a.example/pub/..%3b/secret',
      'https://a.example/pub/%252e%252e/secret',
      'https://a.example/pub/%2525252e./secret',
      'https://a.example/pub/%25%32%65%25%32%65/secret',
      'https://a.example/pub/..%00/secret',
      'https://a.example/pub/..\u0000/secret',
      'https://a.example/pub/..%20/secret',
      'https://a.example/pub/.. /secret',
      'https://a.example/pub/\uff0e\uff0e/secret',
      'https://a.example/pub/%ef%bc%8e%ef%bc%8e/secret',
      'https://a.example/pub/%c0%ae%c0%ae/secret',
      'https://a.example/pub/%e0%80%ae%e0%80%ae/secret',
      'https://a.example/pub/%u002e%u002e/secret',
      'https://a.example/pub/\u2025/secret',
      'https://a.example/pub/.\u200b./secret',
      'https://a.example/pub/x%c0%af..%c1%9csecret',
      'https://a.example/pub/x\uff0f..\uff3csecret',
      'https://a.example/pub/..?x',
      'https://a.example/pub/..#x',
      'https://a.example/pub/.../secret',
    ]
    const constraint: Constraint = { path, op: 'prefix', value: 'https://a.example/pub/' }
    expect(climbing.filter((value) => only(constraint, value))).toEqual([])
    const below = ['a..b/c', '..a/b', 'a/%20b', 'a;v=1/b', 'a%2Fb', 'a.b%2ec', '100%', '%zz/%e9', 'a?b=..', './a']
    expect(below.filter((value) => !only(constraint, `${constraint.value}${value}`))).toEqual([])
  })
})

/** What programs do with an address before they use it, each of them any number of times. */
const READERS: readonly ((text: string) => string)[] = [
  (text) => text.normalize('NFKC'),
  (text) => decodeURIComponent(text),
  (text) => text.replaceAll('\\', '/'),
  (text) => text.replace(/;[^/]*/g, ''),
  (text) => text.replace(/\0.*$/s, ''),
  (text) => text.replaceAll(/[\t\n\r\u200b]/g, ''),
  (text) => text.replaceAll(/ +(?=\/|$)/g, ''),
]

test('law: whatever programs read an address, what a prefix permits is not outside of it', () => {
  const prefix = 'https://a.example/pub/'
  const codes = '%2e %25 2e %2f %5c %00 %20 %ef%bc%8e %32 %65 %3b %252e %255c'.split(' ')
  const signs = ['.', '..', '/', '\\', ';', 'a', '\0', ' ', '\t', '?', '#', '@', ':']
  const piece = fc.constantFrom(...codes, ...signs, '\uff0e', '\u2024', '\u2025', '\uff0f', '\u200b')
  const read = fc.array(fc.constantFrom(...READERS), { maxLength: 6 })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), read, (pieces, readers) => {
      const value = prefix + pieces.join('')
      fc.pre(only({ path, op: 'prefix', value: prefix }, value))
      let text = value
      for (const reader of readers) {
        try {
          text = reader(text)
        } catch {
          // Not percent-encoded text: such a program stops here.
        }
      }
      const { origin, pathname } = new URL(text)
      expect(`${origin}${pathname}/`.startsWith(prefix), `${JSON.stringify(value)} read as ${text}`).toBe(true)
    }),
    { numRuns: someRuns(2_000) },
  )
})

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const object = fc.dictionary(fc.string(), json) as fc.Arbitrary<{ readonly [key: string]: Json }>
const textOf = (value: Json) => {
  const canonical = canonicalJson(value)
  return canonical.ok ? canonical.value : undefined
}

describe('constraints together', () => {
  test('law: the exact arguments permit themselves and no others', () => {
    fc.assert(
      fc.property(object, object, (approved, other) => {
        fc.pre(textOf(approved) !== undefined)
        const exact: Constraint[] = [{ path: '', op: 'equals', value: approved }]
        expect(permitsArgs(exact, approved)).toBe(true)
        expect(permitsArgs(exact, other)).toBe(textOf(approved) === textOf(other))
      }),
    )
  })

  test('law: an argument that no constraint names is not permitted, however it is hidden', () => {
    fc.assert(
      fc.property(object, fc.string({ minLength: 1 }), json, fc.boolean(), (args, extra, value, deep) => {
        fc.pre(!Object.hasOwn(args, extra))
        const named: Constraint[] = Object.keys(args).map((key) => ({ path: below('', key), op: 'any' }))
        expect(permitsArgs(named, args)).toBe(true)
        const more = deep ? { ...args, [extra]: { [extra]: value } } : { ...args, [extra]: value }
        expect(permitsArgs(named, more)).toBe(false)
        expect(permitsArgs([...named, { path: below('', extra), op: 'any' }], more)).toBe(true)
      }),
    )
  })

  test('law: one more constraint on a named argument never permits more', () => {
    const constraint = fc.oneof(
      fc.record({ path: fc.constant('/a'), op: fc.constant('equals' as const), value: json }),
      fc.record({ path: fc.constant('/a'), op: fc.constantFrom('min' as const, 'max' as const), value: fc.integer() }),
      fc.record({ path: fc.constant('/a'), op: fc.constant('any' as const) }),
    )
    fc.assert(
      fc.property(fc.array(constraint, { minLength: 1 }), constraint, fc.record({ a: json }), (some, more, args) => {
        if (!permitsArgs(some, args)) expect(permitsArgs([...some, more], args)).toBe(false)
      }),
    )
  })

  test('without constraints only a call without arguments is permitted', () => {
    expect(permitsArgs([], {})).toBe(true)
    const others: Json[] = [{ a: 1 }, { a: {} }, [], 'x', null]
    for (const args of others) expect(permitsArgs([], args)).toBe(false)
  })

  test('a missing argument matches only `any`, because a tool may use any default', () => {
    const absent: Constraint[] = [
      { path, op: 'equals', value: null },
      { path, op: 'max', value: 10 },
      { path, op: 'prefix', value: 'a' },
      { path, op: 'in', value: [null] },
    ]
    for (const constraint of absent) expect(permitsArgs([constraint], {})).toBe(false)
    expect(permitsArgs([{ path, op: 'any' }], {})).toBe(true)
  })

  test('a list is named item by item or as a whole', () => {
    const args = { to: ['bob', 'eve'] }
    expect(permitsArgs([{ path: '/to/0', op: 'equals', value: 'bob' }], args)).toBe(false)
    expect(permitsArgs([{ path: '/to', op: 'in', value: ['bob', 'eve'] }], args)).toBe(true)
    const each: Constraint[] = ['bob', 'eve'].map((value, at) => ({ path: `/to/${at}`, op: 'equals', value }))
    expect(permitsArgs(each, args)).toBe(true)
  })
})
