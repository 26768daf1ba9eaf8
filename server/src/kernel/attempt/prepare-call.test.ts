import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldArgs } from './prepare-call.ts'

/** The definition of folding, without the shortcut for texts that have nothing to fold. */
const folded = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?:[\s\p{Zs}]|\\[bfnrt]|\\u00[01][0-9a-f])+/gu, ' ')
    .replace(/(?<=") | (?=")/g, '')

test('law: a text that the shortcut treats as folded does not change when folded', () => {
  const piece = fc.constantFrom(
    'a',
    'B',
    '7',
    ' ',
    '  ',
    '"',
    '\\',
    '\\n',
    '\t',
    '{',
    ':',
    ',',
    '~',
    '\u007f',
    'é',
    '\u200b',
    'ﬁ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      expect(foldArgs(text)).toBe(folded(text))
    }),
    { numRuns: 2_000 },
  )
})
