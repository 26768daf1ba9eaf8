import { expect, test } from 'vitest'
import { shownText } from './shown-text.ts'

test.each([
  ['a bidi override', 'a\u202Eb', 'a·b'],
  ['the Arabic letter mark', 'a\u061Cb', 'a·b'],
  ['a soft hyphen', 'a\u00ADb', 'a·b'],
  ['a filler that is a letter by its category', 'a\u3164\u115Fb', 'a··b'],
  ['tag letters', 'x\u{E0069}\u{E0067}', 'x··'],
  ['bytes in variation selectors', '😀\u{E0101}\u{E0102}\uFE00\uFE01', '😀····'],
  ['bits in joiners between Latin letters', 'a\u200Cb\u200Dc', 'a·b·c'],
  ['a row of joiners between emojis', '😀\u200D\u200D\u200C', '😀···'],
  ['an escape sequence', 'a\u001B[2Kb', 'a·[2Kb'],
  ['an interlinear annotation', 'a\uFFF9b', 'a·b'],
  ['half a character', 'a\uD83Db', 'a·b'],
])('%s is a dot that can be seen', (_, text, shown) => {
  expect(shownText(text)).toBe(shown)
})

test.each([
  'two\nlines\tand a tab',
  '❤\uFE0F',
  '1\uFE0F\u20E3',
  '👩🏽\u200D💻',
  'می\u200Cخواهم',
  'क्\u200Dष',
  'žluťoučký',
  '日本語',
])('ordinary writing stays as it is: %s', (text) => {
  expect(shownText(text)).toBe(text)
})
