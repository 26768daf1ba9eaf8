import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { encodedText, ENCODINGS } from '../../../test/encoded-texts.ts'
import { findGuarded, NOTHING_GUARDED } from './guarded-texts.ts'
import { compileOwn } from './find-own.ts'

const KNOWN = 'hunter2-Correct.Horse+Battery/Staple'
const own = compileOwn([KNOWN])
const CREDENTIALS = [
  KNOWN,
  `sluice_agent_${randomBytes(32).toString('base64url')}`,
  `v1.1794765190.${randomBytes(8).toString('hex')}.${randomBytes(32).toString('hex')}`,
]

const credential = fc
  .tuple(fc.constantFrom(...CREDENTIALS), fc.array(fc.constantFrom(...ENCODINGS), { maxLength: 1 }))
  .map(([text, layers]) => layers.reduce((sofar, encode) => encode(sofar), text))
const plain = fc.oneof(encodedText, fc.constantFrom('the figures of the quarter', 'sluice_age', 'v1.1', 'a', ''))

/** Arguments that contain one as a whole, spread by gaps, or in parts that may be in any order. */
const args: fc.Arbitrary<Json> = fc
  .tuple(
    fc.option(credential),
    fc.array(plain, { maxLength: 3 }),
    fc.integer({ min: 1, max: 60 }),
    fc.constantFrom('', ' ', '\u200b'),
    fc.boolean(),
    fc.constantFrom<(texts: string[]) => Json>(
      (texts) => texts,
      (texts) => texts.toReversed(),
      (texts) => ({ list: texts, number: 17 }),
      (texts) => Object.fromEntries(texts.map((text, at) => [`f${at}`, text])),
      (texts) => Object.fromEntries(texts.map((text) => [text, 1])),
    ),
  )
  .map(([secret, others, size, gap, isFirst, shape]) => {
    const spread = secret?.replace(/.{5}/gs, `$&${gap}`) ?? ''
    const first =
      size < 6 ? (spread.slice(0, 20).match(new RegExp(`.{1,${size}}`, 'gs')) ?? []) : [spread.slice(0, size)]
    const parts = [...first, spread.slice(first.join('').length)].filter((part) => part !== '')
    return shape(isFirst ? [...parts, ...others] : [...others, ...parts])
  })

test('law: nothing is skipped that the search finds', () => {
  let found = 0
  let skipped = 0
  fc.assert(
    fc.property(args, (value) => {
      const searched = findGuarded(value, own, [], () => false)
      const quick = findGuarded(value, own, [])
      expect(quick).toEqual(searched)
      if (searched.own.length > 0) found += 1
      if (quick === NOTHING_GUARDED) skipped += 1
    }),
    { numRuns: 3_000 },
  )
  expect(found).toBeGreaterThan(300)
  expect(skipped).toBeGreaterThan(300)
})

test('ordinary arguments are not searched twice', () => {
  const ordinary = {
    number: 1_000_123,
    text: 'the quarterly figures are in the shared folder, where they were read before noon',
  }
  expect(findGuarded(ordinary, own, [])).toBe(NOTHING_GUARDED)
})
