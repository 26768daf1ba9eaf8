import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { printCanonical } from './print-canonical.ts'

const textOf = (print: (value: object) => string | undefined, value: object): string | undefined => {
  try {
    return print(value)
  } catch {
    return 'none'
  }
}

test('law: the result always equals that of `canonicalize`', () => {
  // Mostly ordinary keys, because otherwise printCanonical falls back to `canonicalize`, which would be compared with itself.
  const key = fc.oneof(
    { weight: 40, arbitrary: fc.stringMatching(/^[a-z_]{1,3}$/) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('10', '9', '', '-1', '__proto__', 'toJSON', '\u20ac', '\ud83d\ude00', 'x\udc00'),
    },
  )
  const scalar = fc.oneof(
    { weight: 20, arbitrary: fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true })) },
    { weight: 1, arbitrary: fc.constantFrom(null, true, undefined, '\\ud', '\ud800', '\u2028', Number.NaN, -0) },
  )
  const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar, tie('object'), fc.array(tie('value'))),
    object: fc.array(fc.tuple(key, tie('value'))).map((members) => Object.fromEntries(members)),
  }))
  fc.assert(
    fc.property(object, (value) => {
      expect(textOf(printCanonical, value)).toBe(textOf(canonicalize, value))
    }),
    { numRuns: 1000 },
  )
})

test('keys are sorted by UTF-16 units, including numeric ones; undefined values are omitted', () => {
  const inside = { '10': 1, '9': undefined, '1': 2 }
  expect(printCanonical({ b: [-0, 1e21, null], inside, '\u20ac': '\u2028', '\ud83d\ude00': {}, '\ufb33': 3 })).toBe(
    '{"b":[0,1e+21,null],"inside":{"1":2,"10":1},"€":"\u2028","😀":{},"\ufb33":3}',
  )
  expect(printCanonical({ url: new URL('http://a.test/') })).toBe('{"url":"http://a.test/"}')
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 'x\udc00', { 'x\udc00': 1 }])(
  'a value without a canonical form is not printed (%#)',
  (value) => expect(() => printCanonical({ inside: [value] })).toThrow('not allowed'),
)
