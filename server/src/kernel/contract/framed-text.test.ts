import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { brokenText, count, grouped } from './framed-text.ts'
import { visibleText } from './visible-text.ts'

test('a long line is broken at a space, or inside a word that is too long for that', () => {
  expect(brokenText('a person must confirm it explicitly', 22)).toEqual(['a person must confirm ', 'it explicitly'])
  expect(brokenText('x'.repeat(50), 20)).toEqual(['x'.repeat(20), 'x'.repeat(20), 'x'.repeat(10)])
})

test('LAW: breaking a line loses nothing, and no piece is wider than the screen', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 20, max: 80 }), (line, width) => {
      const pieces = brokenText(line, width)
      expect(pieces.join('')).toBe(visibleText(line))
      for (const piece of pieces) expect(Array.from(piece).length).toBeLessThanOrEqual(width)
    }),
  )
})

test('LAW: a whole number is grouped as in English', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (figure) => {
      expect(grouped(figure)).toBe(figure.toLocaleString('en-US'))
    }),
  )
  expect([0, 1, 999, 1_000, 1_002_003].map((figure) => count(figure, 'tool'))).toEqual([
    '0 tools',
    '1 tool',
    '999 tools',
    '1,000 tools',
    '1,002,003 tools',
  ])
})
