import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileRules, type CompiledRules } from './compile-rules.ts'
import { locate } from './find-sensitive.ts'
import { BUILT_IN_RULES } from './rules/built-in-rules.ts'

const compiled = compileRules(BUILT_IN_RULES, [
  { id: 'custom-near', type: 'CUSTOM', kind: 'pii', at: 'number', pattern: '\\d{7}', near: ['order no', 'pedido nº'] },
  { id: 'custom-shape', type: 'CUSTOM', kind: 'pii', at: 'number', pattern: '(?<pre>\\d{3})/\\d{4}' },
  { id: 'custom-case', type: 'CUSTOM', kind: 'pii', at: 'number', pattern: '\\d{6}xy', ignoreCase: true },
  { id: 'custom-mark', type: 'CUSTOM', kind: 'pii', at: 'number', pattern: '\\d{8}', near: ['qz:'] },
])
if (!compiled.ok) throw new Error('the rules do not compile')
const quick = compiled.value

/** The same rules, all tried at every number. */
const ALL = -1
const slow: CompiledRules = {
  ...quick,
  number: { ...quick.number, rules: quick.number.rules.map(({ rule }) => ({ rule, bits: ALL })) },
}

const words = quick.number.rules.flatMap(({ rule }) => rule.near)
const number = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 17 }).map((digits) => digits.join('')),
  fc.stringMatching(/^\d{2,4}[-. /]\d{2,4}[-. /]\d{2,4}$/),
  fc.stringMatching(/^\d{6,8}[-+]?[A-Z]?\d{3,4}[A-Z]?$/),
  fc.constantFrom('4111 1111 1111 1111', '078-05-1120', '756.9217.0769.85', '123/4567', '192.168.10.4', '0171 1234567'),
  fc.constantFrom('123456XY', '29 99 15 10 11 234 56', '12345678Z', '010101-123N', '2234 5678 9012', '943 476 5919'),
)
const part = fc.oneof(
  number,
  fc.constantFrom(...words),
  fc.constantFrom(...words).map((word) => word.toUpperCase()),
  fc.constantFrom(
    '[REDACTED_PHONE]',
    'REDACTED_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaan',
    'AB ',
    '\u212a',
    'é',
    ': ',
    '',
  ),
)
const text = fc
  .array(fc.tuple(part, fc.constantFrom(' ', '', ': ', ', ')), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(''))

test('law: the quick tests never skip a rule that would have found something', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(locate(one, quick)).toEqual(locate(one, slow))
    }),
    { numRuns: 2_000 },
  )
})

test('a word that a redaction mark divides is still found', () => {
  const found = locate('qz[REDACTED_PHONE: 12345678', quick).spans
  expect(found.map(({ rule }) => rule)).toContain('custom-mark')
})
