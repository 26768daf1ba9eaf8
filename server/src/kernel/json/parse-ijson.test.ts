import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { survivesDouble, findFault, MAX_DEPTH } from './ijson-scanner.ts'
import { parseIJson } from './parse-ijson.ts'
import { someRuns } from '../../../test/some-of.ts'

const faultOf = (text: string) => {
  const read = parseIJson(text)
  return read.ok ? undefined : read.problem.about
}

describe('parsing I-JSON', () => {
  test('a text with every kind of value is parsed as the native parser does', () => {
    const text = ' {"a":[1,-2.5e3,true,false,null,"\\u0041\\n\\"é😀\\ud83d\\ude00"],"b":{},"c":[],"":{"a":1}}\r\n\t'
    expect(parseIJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  test('a duplicate key is rejected at its second occurrence, however it is written', () => {
    expect(faultOf('{"a":1,"b":2,"a":1}')).toEqual({ what: 'duplicate_key', at: '13' })
    expect(faultOf('{"a":1,"\\u0061":2}')).toEqual({ what: 'duplicate_key', at: '7' })
    expect(faultOf('[{"x":{"__proto__":1,"__proto__":2}}]')).toEqual({ what: 'duplicate_key', at: '21' })
    expect(faultOf('[{"a":1},{"a":{"a":2}}]')).toBeUndefined()
  })

  test('half of a surrogate pair is rejected, raw or escaped, in keys and values', () => {
    expect(faultOf('["\ud800"]')).toEqual({ what: 'lone_surrogate', at: '2' })
    expect(faultOf('["x\udc00"]')).toEqual({ what: 'lone_surrogate', at: '3' })
    expect(faultOf('["\\ud800"]')).toEqual({ what: 'lone_surrogate', at: '2' })
    expect(faultOf('["\\uDC00"]')).toEqual({ what: 'lone_surrogate', at: '2' })
    expect(faultOf('["\\ud800\\u0041"]')).toEqual({ what: 'lone_surrogate', at: '2' })
    expect(faultOf('{"\\udead":1}')).toEqual({ what: 'lone_surrogate', at: '2' })
    expect(faultOf('["\\\\ud800"]')).toBeUndefined()
  })

  test('a pair written half raw and half escaped is rejected', () => {
    expect(faultOf('["\ud83d\\ude00"]')?.['what']).toBe('lone_surrogate')
    expect(faultOf('["\\ud83d\ude00"]')?.['what']).toBe('lone_surrogate')
  })

  test('`__proto__` is an ordinary key', () => {
    const read = parseIJson('{"__proto__":{"admin":true}}')
    if (!read.ok) throw new Error('refused')
    expect(Object.keys(read.value as object)).toEqual(['__proto__'])
    expect((read.value as { admin?: boolean }).admin).toBeUndefined()
  })

  test('nesting up to the limit is parsed, and one level deeper is rejected, as is a million levels', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(faultOf(nested(MAX_DEPTH))).toBeUndefined()
    expect(faultOf(nested(MAX_DEPTH + 1))).toEqual({ what: 'depth', at: String(MAX_DEPTH) })
    expect(faultOf('{"a":'.repeat(1_000_000))?.['what']).toBe('depth')
  })

  test('a text is accepted exactly when the scanner finds no fault in it', () => {
    const printed = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value))
    const pieces = [
      ',"a":1',
      '"a":1,',
      '{"a":1,"a":2}',
      '"\\ud800"',
      '"\ud800"',
      '9007199254740993',
      '1e400',
      '-0',
      ' ',
      '\\',
      '}',
      '[',
    ]
    const changed = fc
      .tuple(printed, fc.nat(), fc.nat(3), fc.constantFrom('', ...pieces))
      .map(([text, at, cut, piece]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + piece + text.slice(place + cut)
      })
    fc.assert(
      fc.property(fc.oneof(printed, changed, fc.constantFrom(...pieces)), (text) => {
        expect(parseIJson(text).ok).toBe(findFault(text) === undefined)
      }),
      { numRuns: someRuns(2_000) },
    )
  })

  test('a fault never quotes the text', () => {
    expect(parseIJson('{"password":"hunter2",}')).toEqual({
      ok: false,
      problem: { code: 'request.not_ijson', about: { what: 'syntax', at: '22' } },
    })
  })
})

describe('numbers', () => {
  test.each([
    '0',
    '-0',
    '0.0',
    '0e999999999999',
    '-0.000',
    '1',
    '-1',
    '1.0',
    '9007199254740991',
    '9007199254740992',
    '1E30',
    '1e+22',
    '1.7976931348623157e308',
    '5e-324',
    '4.9406564584124654e-324',
    '2.2250738585072014e-308',
    '333333333.33333329',
    '0.1',
    '0.10000000000000001',
    '1000000000000000000000',
    '1.5e300',
    '123456789012345680',
    '9.9999999999999992e+22',
    '10000000000000000000000000000000000000000',
    '0.000000000000000000000000000001',
  ])('%s survives a double', (literal) => {
    expect(survivesDouble(literal)).toBe(true)
    expect(faultOf(`[${literal}]`)).toBeUndefined()
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740993e0',
    '900719925474099.3e1',
    '12345678901234567890',
    '9223372036854775807',
    '9223372036854775808',
    '1e400',
    '-1e400',
    '1e-400',
    '3e-324',
    '0.1000000000000000055511151231257827',
    '1.000000000000000005',
    '123456789012345678901234567890',
    '1e99999999999999999999',
    '1e-99999999999999999999',
  ])('%s does not', (literal) => {
    expect(survivesDouble(literal)).toBe(false)
    expect(faultOf(`{"n":${literal}}`)).toEqual({ what: 'number', at: '5' })
  })

  test('whatever JavaScript prints for a double survives', () => {
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => survivesDouble(String(n))))
  })

  test('whatever printf prints for a double with 17 digits survives, unless it is a whole number that changes', () => {
    const anyDouble = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true })
    fc.assert(fc.property(anyDouble, (n) => survivesDouble(n.toExponential(16))))
  })

  test('a whole number that is printed as an integer survives exactly when the print has the same digits', () => {
    const largest = 10n ** 21n - 1n
    fc.assert(
      fc.property(fc.oneof(fc.bigInt({ min: -largest, max: largest }), fc.bigInt({ min: 0n, max: 2n ** 57n })), (n) => {
        const isExact = String(Number(n)) === String(n)
        expect([survivesDouble(String(n)), survivesDouble(`${n}.0`), survivesDouble(`${n}e0`)]).toEqual([
          isExact,
          isExact,
          isExact,
        ])
      }),
    )
  })

  test('a longer plain integer survives exactly when it is the shortest print filled up with zeros', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e21, max: 1e300, noNaN: true }), (double) => {
        const [digits = '', power = ''] = String(double).replace('.', '').split('e+')
        const plain = digits + '0'.repeat(Number(power) + 1 - digits.length)
        expect([survivesDouble(plain), survivesDouble(`${plain.slice(0, -1)}1`)]).toEqual([true, false])
      }),
    )
  })

  test('a literal of a hundred thousand zeros takes at most linear time', () => {
    expect(survivesDouble(`1${'0'.repeat(100_000)}1`)).toBe(false)
    expect(survivesDouble(`0.${'0'.repeat(100_000)}1e100001`)).toBe(true)
  })
})

describe('laws', () => {
  /** Text that is nearly JSON: pieces of it in any order. */
  const nearly = fc
    .array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b"',
        '"\\u0061"',
        '"',
        '\\',
        'true',
        'null',
        'nul',
        '1',
        '-',
        '0',
        '.5',
        'e3',
        ' ',
        '\n',
        '\u00a0',
        '\ufeff',
        '\ud800',
        '"\\ud83d\\ude00"',
        '01',
        '1e',
        '"\t"',
        '"\\x"',
        '"\\u12"',
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(''))
  const isNative = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  test('a text is rejected for its syntax exactly when the native parser rejects it', () => {
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string(), fc.json()), (text) => {
        const fault = faultOf(text)
        if (fault === undefined) expect(isNative(text)).toBe(true)
        else if (fault['what'] === 'syntax') expect(isNative(text)).toBe(false)
      }),
      { numRuns: someRuns(20_000) },
    )
  })

  test('every printed JSON value is parsed back as itself', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, depthSize: 'medium' }), (value) => {
        const text = JSON.stringify(value)
        const read = parseIJson(text)
        expect(read).toEqual({ ok: true, value: JSON.parse(text) })
      }),
      { numRuns: someRuns(2_000) },
    )
  })

  test('a key added twice to any object is found', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer(), { minKeys: 1 }), fc.nat(), (object, pick) => {
        const keys = Object.keys(object)
        const key = JSON.stringify(keys[pick % keys.length])
        const text = `${JSON.stringify(object).slice(0, -1)},${key}:0}`
        expect(faultOf(text)?.['what']).toBe('duplicate_key')
      }),
    )
  })
})
