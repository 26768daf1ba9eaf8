import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../contract/json.ts'
import { canonicalJson } from './canonical.ts'
import { parseIJson } from './parse-ijson.ts'

const flawOf = (value: unknown) => {
  const text = canonicalJson(value as Json)
  return text.ok ? undefined : text.problem
}
const refused = (what: string) => ({ code: 'request.not_ijson', about: { what } })

describe('canonical JSON', () => {
  test('keys are sorted by UTF-16 units and numbers printed as JavaScript prints them', () => {
    expect(
      canonicalJson({ b: 1.0, a: [-0, 1e21, 1e-7], '\u20ac': 1, '\ud83d\ude00': 2, '\ufb33': 3, '': null }),
    ).toEqual({
      ok: true,
      value: '{"":null,"a":[0,1e+21,1e-7],"b":1,"€":1,"😀":2,"\ufb33":3}',
    })
  })

  test('a value without a canonical form is rejected with the reason', () => {
    expect(flawOf(Number.NaN)).toEqual(refused('number'))
    expect(flawOf({ a: [Number.POSITIVE_INFINITY] })).toEqual(refused('number'))
    expect(flawOf(['\ud800'])).toEqual(refused('lone_surrogate'))
    expect(flawOf({ 'x\udc00': 1 })).toEqual(refused('lone_surrogate'))
    expect(flawOf({ a: undefined })).toEqual(refused('type'))
    expect(flawOf([undefined])).toEqual(refused('type'))
    expect(flawOf(Array.from({ length: 2 }).fill(undefined))).toEqual(refused('type'))
    expect(flawOf(Object.assign([1], { length: 2 }))).toEqual(refused('type'))
    expect(flawOf(10n)).toEqual(refused('type'))
    expect(flawOf({ toJSON: () => 1 })).toEqual(refused('type'))
    expect(flawOf(new Map())).toEqual(refused('type'))
    expect(flawOf(Object(1))).toEqual(refused('type'))
  })

  test('a cycle is rejected as too deep', () => {
    const loop: { self?: unknown } = {}
    loop.self = loop
    expect(flawOf(loop)).toEqual(refused('depth'))
  })

  test('a key named toJSON, valueOf or __proto__ is printed', () => {
    const text = '{"__proto__":1,"toJSON":2,"valueOf":{}}'
    const read = parseIJson(text)
    expect(read.ok && canonicalJson(read.value)).toEqual({ ok: true, value: text })
  })

  test('parsing and printing a canonical text again changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(JSON.parse(JSON.stringify(value)) as Json)
        if (!text.ok) throw new Error(text.problem.about['what'])
        const read = parseIJson(text.value)
        expect(read.ok && canonicalJson(read.value)).toEqual(text)
      }),
    )
  })

  test('the order of keys never changes the text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const value = JSON.parse(JSON.stringify(object)) as Record<string, Json>
        const reversed = Object.fromEntries(Object.entries(value).toReversed())
        expect(canonicalJson(reversed)).toEqual(canonicalJson(value))
      }),
    )
  })
})
