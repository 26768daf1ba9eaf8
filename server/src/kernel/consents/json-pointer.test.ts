import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../contract/json.ts'
import { below, valueAt } from './json-pointer.ts'

/** The document and the pointers of RFC 6901, section 5. */
const document: Json = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}

describe('a JSON pointer', () => {
  test.each([
    ['', document],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('`%s` gives the value stated in the RFC', (pointer, value) => {
    expect(valueAt(document, pointer)).toEqual(value)
  })

  test.each(['/bar', '/foo/2', '/foo/01', '/foo/-', '/foo/length', '/foo/0/x', '/constructor', '/__proto__'])(
    '`%s` does not exist',
    (pointer) => expect(valueAt(document, pointer)).toBeUndefined(),
  )

  test('a key called __proto__ is an ordinary key', () => {
    const value = JSON.parse('{"__proto__":{"x":1}}') as Json
    expect(valueAt(value, '/__proto__/x')).toBe(1)
    expect(valueAt(value, '/x')).toBeUndefined()
  })

  test('law: every member of every value is found under its own key', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (members, key) => {
        const value = { ...members, [key]: ['here'] } as Json
        expect(valueAt(value, `${below('', key)}/0`)).toBe('here')
      }),
    )
  })
})
