import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { valueText } from './value-text.ts'

test.each([
  ['ana@example.com', 'ana@example.com'],
  ['007', '007'],
  ['a\nb ', 'a\nb '],
  ['', '""'],
  [' ', '" "'],
  [' ana', '" ana"'],
  ['ana\t', '"ana\\t"'],
  ['1', '"1"'],
  [' 1\n', '" 1\\n"'],
  ['-0.5e3', '"-0.5e3"'],
  ['true', '"true"'],
  ['null', '"null"'],
  ['["1",1]', '"[\\"1\\",1]"'],
  ['{}', '"{}"'],
  ['"quoted"', '"\\"quoted\\""'],
  [1, '1'],
  [null, 'null'],
  [['1', 1], '["1",1]'],
])('%j is shown as %s', (value, shown) => expect(valueText(value)).toBe(shown))

test('two values that differ are never shown alike', () => {
  const scalar = fc.oneof(
    fc.constantFrom('', ' ', '1', '"1"', 'null', '[]', '{}', 'a', ' a', 'a ', '" a"'),
    fc.constantFrom(1, null, true, false),
    fc.jsonValue(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(scalar, scalar, (a, b) => {
      if (JSON.stringify(a) !== JSON.stringify(b)) expect(valueText(a)).not.toBe(valueText(b))
    }),
    { numRuns: 2_000 },
  )
})
