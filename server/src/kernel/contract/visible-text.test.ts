import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ESCAPES, FORGED_LINES, HOSTILE_TEXTS, looksOurs, ORDINARY_TEXTS, UNSEEN } from '../../../test/hostile-texts.ts'
import { framedText } from './framed-text.ts'
import { markedText, quoted, visibleText } from './visible-text.ts'

test.each([
  ['\u001b[2J\u001b[1;1Happroved', '\\u001b[2J\\u001b[1;1Happroved'],
  ['\u009b31m', '\\u009b31m'],
  ['over\rwritten\u0008', 'over\\rwritten\\u0008'],
  ['two\nlines\tand a tab', 'two\\nlines\\tand a tab'],
  ['pay \u202e001 to ana', 'pay \\u202e001 to ana'],
  ['x\u{e0069}', 'x\\udb40\\udc69'],
  ['a\u{f0000}', 'a\\udb80\\udc00'],
  ['half \ud83d', 'half \\ud83d'],
  ['no\u00a0break', 'no\\u00a0break'],
  ['\u0301', '\\u0301'],
])('%j is shown as %j', (text, shown) => expect(visibleText(text)).toBe(shown))

test.each(UNSEEN)('$name is visible', ({ text }) => {
  expect(visibleText(text)).not.toBe(text)
  expect(visibleText(text)).toContain('\\u')
})

test.each([...ORDINARY_TEXTS])('ordinary writing is unchanged: %s', (text) => {
  expect(visibleText(text)).toBe(text)
  expect(markedText(text)).toBe(text)
})

test.each(HOSTILE_TEXTS)('$name is one line without a raw character', ({ text }) => {
  const shown = visibleText(text)
  expect(shown).not.toContain('\n')
  expect(looksOurs(shown)).toBeUndefined()
  expect(visibleText(shown)).toBe(shown)
})

test('law: a JSON text made visible is the same JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = JSON.stringify(value)
      expect(JSON.parse(visibleText(text))).toEqual(JSON.parse(text))
    }),
  )
})

test('characters that are recognized without the whole pattern are those that it leaves alone', () => {
  for (let code = 0x20; code < 0x3000; code += 1) {
    const char = String.fromCharCode(code)
    // The letter after it is not recognized, so that the whole pattern is used.
    expect(`${visibleText(char)}中`, `U+${code.toString(16)}`).toBe(visibleText(`${char}中`))
  }
})

test('law: visible text is unchanged when made visible again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(visibleText(text))).toBe(visibleText(text))
    }),
  )
})

describe('a quoted text', () => {
  test('cannot close its quotes, and is cut if it is too long', () => {
    expect(quoted('a` (rule b, ours) `c')).toBe("`a' (rule b, ours) 'c`")
    expect(quoted('x'.repeat(500), 10)).toBe(`\`${'x'.repeat(9)}…\``)
    expect(quoted('12345678😀x', 10)).toBe('`12345678…`')
  })
})

describe('a framed text', () => {
  const frame = { width: 60, most: 10, more: ', press v' }
  test.each([...FORGED_LINES, ...ESCAPES])('$name: every line has the bar, and there are few of them', ({ text }) => {
    const lines = framedText(text, frame)
    expect(lines.length).toBeLessThanOrEqual(11)
    for (const line of lines) expect(line).toMatch(/^(?:│ |· )/)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
    expect(looksOurs(lines.join('\n'))).toBeUndefined()
  })

  test('blank lines are counted, and the rest is counted too', () => {
    expect(framedText('a\n\n\n\nb', frame)).toEqual(['│ a', '· 3 blank lines', '│ b'])
    expect(framedText('a\n\nb', frame)).toEqual(['│ a', '│ ', '│ b'])
    expect(framedText('x'.repeat(2_000), { ...frame, most: 1 })).toEqual([
      `│ ${'x'.repeat(58)}`,
      '· … 1,942 more characters, press v',
    ])
  })

  test('law: no line is wider than the screen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const line of framedText(text, frame)) expect(line.length).toBeLessThanOrEqual(60)
      }),
    )
  })
})

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
  ['line breaks and tabs', 'two\nlines\tand a tab', 'two\nlines\tand a tab'],
])("in a tool server's own text %s is a dot that can be seen", (_, text, shown) => {
  expect(markedText(text)).toBe(shown)
})
