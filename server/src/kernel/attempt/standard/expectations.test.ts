import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../contract/json.ts'
import { isEmpty } from '../../contract/standard.ts'
import { isSame, meets, sayExpectation } from './expectations.ts'

const json = () => fc.jsonValue() as fc.Arbitrary<Json>
const at = (value: Json): Json => ({ a: [{ b: value }] })
const path = 'a.0.b'

/** The same value with the keys of every object reversed. */
function turned(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => turned(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, turned(inner)]),
  )
}

describe('an expectation', () => {
  test('that a value equals itself is met in any key order, and not with one more item or field', () => {
    fc.assert(
      fc.property(json(), json(), (value, extra) => {
        expect(meets(at(turned(value)), { path, equals: value })).toBe(true)
        expect(meets(at([value]), { path, equals: [value, extra] })).toBe(false)
        expect(meets(at({ value, extra }), { path, equals: { value } })).toBe(false)
        expect(meets(at({ value }), { path, equals: { value, extra } })).toBe(false)
      }),
    )
  })

  test('of equality is symmetric, and two values are the same exactly when their canonical texts are', () => {
    const text = (value: Json) => JSON.stringify(sorted(value))
    fc.assert(
      fc.property(json(), json(), (one, other) => {
        expect(isSame(one, other)).toBe(isSame(other, one))
        expect(isSame(one, other)).toBe(text(one) === text(other))
      }),
    )
  })

  test('of `in` is met exactly when one of the values is equal', () => {
    fc.assert(
      fc.property(json(), fc.array(json(), { minLength: 1 }), (value, any) => {
        expect(meets(at(value), { path, in: any })).toBe(any.some((one) => isSame(one, value)))
        expect(meets(at(value), { path, in: [...any, value] })).toBe(true)
      }),
    )
  })

  test('of `exists` is met by a value or by its absence, never by both', () => {
    fc.assert(
      fc.property(json(), (answer) => {
        expect(meets(answer, { path, exists: true })).toBe(!meets(answer, { path, exists: false }))
        expect(meets(at(answer), { path, exists: true })).toBe(true)
      }),
    )
  })

  test('about a value at a path that does not exist is never met', () => {
    fc.assert(
      fc.property(json(), json(), (answer, value) => {
        const nowhere = 'no such key.0'
        expect(meets(answer, { path: nowhere, equals: value })).toBe(false)
        expect(meets(answer, { path: nowhere, contains: value })).toBe(false)
        expect(meets(answer, { path: nowhere, in: [value] })).toBe(false)
      }),
    )
  })

  test('that a list contains an item is met by the item, and by an object with more fields than were named', () => {
    fc.assert(
      fc.property(fc.array(json()), json(), (others, item) => {
        expect(meets(at([...others, item]), { path, contains: item })).toBe(true)
        expect(meets(at([...others, { item, more: 1 }]), { path, contains: { item } })).toBe(true)
        expect(meets(at([]), { path, contains: item })).toBe(false)
      }),
    )
  })

  test.each([
    ['a text contains a part of it', 'hello', 'ell', true],
    ['a text contains no number', '17', 1, false],
    ['a list of texts does not contain a part of one', ['hello'], 'ell', false],
    ['an object contains its fields', { a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } }, true],
    ['an object does not contain another value', { a: 1 }, { a: 2 }, false],
    ['an object does not contain a field it does not have', {}, JSON.parse('{"__proto__":{}}'), false],
    ['a number contains nothing', 17, 1, false],
    ['null contains nothing', null, null, false],
    ['a list in a field is contained only as a whole', [{ tags: ['x', 'y'] }], { tags: ['x'] }, false],
  ] as [string, Json, Json, boolean][])('of `contains`: %s', (_, value, contains, met) => {
    expect(meets(at(value), { path, contains })).toBe(met)
  })

  test('is described as declared', () => {
    expect(sayExpectation({ path: 'a', equals: '{{args.x}}' })).toBe("`a` equals this call's `x`")
    expect(sayExpectation({ path: 'a', equals: null })).toBe('`a` equals null')
    expect(sayExpectation({ path: 'a.0', contains: { b: 1 } })).toBe('`a.0` contains {"b":1}')
    expect(sayExpectation({ path: 'a', in: [1, 2] })).toBe('`a` is one of [1,2]')
    expect(sayExpectation({ path: 'a', exists: false })).toBe('`a` does not exist')
  })
})

test('only an empty string, list or object is empty', () => {
  expect([[''], [{}], [[]]].map(([value]) => isEmpty(value as Json))).toEqual([true, true, true])
  expect([0, false, null, ' ', [''], { a: '' }].map(isEmpty)).toEqual([false, false, false, false, false, false])
})

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item))
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}
