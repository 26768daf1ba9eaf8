import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stem } from './stem.ts'

describe('a stem', () => {
  test.each([
    ['file files filed filing'],
    ['search searches searched searching'],
    ['city cities'],
    ['create created creates creating creation creator'],
    ['notify notified notifies notifying'],
    ['deploy deploys deployed deploying deployment'],
    ['translate translation translations translating translator'],
    ['box boxes'],
    ['analyze analysis analyses analyzing analytics'],
    ['run ran running runs'],
    ['person people persons'],
    ['convert converted converter converting'],
    ['schedule scheduled scheduling schedules'],
  ])('is the same for %s', (forms) => {
    expect(new Set(forms.split(' ').map(stem)).size).toBe(1)
  })

  test.each([
    ['new', 'news'],
    ['post', 'poster'],
    ['universe', 'university'],
    ['organ', 'organization'],
    ['read', 'red'],
    ['stat', 'status'],
  ])('of %s is not that of %s', (a, b) => {
    expect(stem(a)).not.toBe(stem(b))
  })

  test('is at most one letter longer than its word, never empty, and equals the word if it is not plain letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abcdeginrstyl'.split('')) }), (word) => {
        expect(stem(word).length).toBeLessThanOrEqual(Math.max(word.length + 1, 0))
        if (word !== '') expect(stem(word)).not.toBe('')
      }),
    )
    for (const word of ['été', 'x-ray', 'Files', '读取', 'a1b2']) expect(stem(word)).toBe(word)
  })
})
