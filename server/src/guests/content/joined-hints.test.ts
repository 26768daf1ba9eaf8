import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodedText, ENCODINGS } from '../../../test/encoded-texts.ts'
import { mayBeJoined } from './joined-hints.ts'
import { findJoined } from './joined-text.ts'
import { argRules } from './rules/built-in.suite.ts'
import { TOKENS } from './rules/samples.suite.ts'

const PROSE = [
  'the quarterly figures are in the shared folder',
  'Call me at 10:30, please!',
  '42',
  'a=b',
  'x-y-z',
  '',
  'https://x.test/?a=1&b=',
  '{"k": [1, 2]}',
]
const prose = fc.constantFrom(...PROSE)

const turns: readonly ((text: string) => string)[] = [
  (text) => Array.from(text).toReversed().join(''),
  (text) => text.replace(/[a-z]/gi, (one) => String.fromCharCode(one.charCodeAt(0) + (/[a-m]/i.test(one) ? 13 : -13))),
]
const encoding = fc.oneof(fc.constantFrom(...ENCODINGS), fc.constantFrom(...turns))

/** A token of every kind, in up to two encodings, and with something between its characters. */
const token = fc
  .tuple(
    fc.oneof(...Object.values(TOKENS)),
    fc.array(encoding, { maxLength: 2 }),
    fc.constantFrom('', '', ' ', '/', '.', '-', ', '),
    fc.integer({ min: 1, max: 12 }),
  )
  .map(([text, layers, between, every]) =>
    layers
      .reduce((sofar, encode) => encode(sofar), text)
      .slice(0, 900)
      .replace(new RegExp(`.{${every}}`, 'gs'), `$&${between}`),
  )

const pieces = fc
  .array(fc.tuple(fc.oneof(token, prose, encodedText), fc.integer({ min: 1, max: 40 }), fc.boolean()), {
    minLength: 1,
    maxLength: 4,
  })
  .map((texts) =>
    texts
      .flatMap(([text, size, isSplit]) => (isSplit ? (text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []) : [text]))
      .map((text, at) => ({ text, path: `/${at}` })),
  )

test('law: the hints skip nothing that a search of the joined texts finds', () => {
  let found = 0
  let skipped = 0
  fc.assert(
    fc.property(pieces, (texts) => {
      const searched = findJoined(texts, argRules.firm, () => true)
      expect(findJoined(texts, argRules.firm)).toEqual(searched)
      if (searched.length > 0) found += 1
      else if (!mayBeJoined(texts, argRules.firm)) skipped += 1
    }),
    { numRuns: 3_000 },
  )
  expect(found).toBeGreaterThan(300)
  expect(skipped).toBeGreaterThan(100)
})

test('law: nor in a token that was encoded and then turned, or in names of query fields', () => {
  const hidden = fc.oneof(
    fc
      .tuple(fc.oneof(...Object.values(TOKENS)), fc.constantFrom(...ENCODINGS), fc.constantFrom(...turns))
      .map(([text, encode, turn]) => turn(encode(text))),
    fc.oneof(...Object.values(TOKENS)).map((text) => text.replace(/.{2}/g, '$&&n=')),
  )
  fc.assert(
    fc.property(hidden, fc.integer({ min: 4, max: 300 }), (text, size) => {
      const texts = (text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []).map((part, at) => ({
        text: part,
        path: `/${at}`,
      }))
      expect(findJoined(texts, argRules.firm)).toEqual(findJoined(texts, argRules.firm, () => true))
    }),
    { numRuns: 1_000 },
  )
})

test('names of query fields between the parts of a token without digits hide nothing', () => {
  const token = ['gh', 'p_', 'qRzTmKxLwVbNcYdHfJsGpAeUiOkWqZtRmXvB'].join('')
  const texts = [{ text: token.replace(/.{2}/g, '$&&n='), path: '/a' }]
  expect(findJoined(texts, argRules.firm)).not.toEqual([])
})

test('ordinary arguments are not searched again', () => {
  const texts = [
    'the quarterly figures are in the shared folder, where they were read before noon',
    '1000123',
    'Dear team, the report of week 46 is below: revenue grew by a tenth. See you at 10:30! - Ana - Bob',
    "SELECT id, name FROM customers WHERE region = 'EU' ORDER BY name",
    '/home/ana/reports/2026-11.md',
  ]
  for (const text of texts) expect(mayBeJoined([{ text }], argRules.firm)).toBe(false)
  expect(mayBeJoined([{ text: '1000123' }, { text: texts[0] ?? '' }], argRules.firm)).toBe(false)
})
