import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test.each([
  ['\u001b[2J\u001b[1;1Happroved', '\\u001b[2J\\u001b[1;1Happroved'],
  ['\u009b31m', '\\u009b31m'],
  ['over\rwritten\u0008', 'over\\u000dwritten\\u0008'],
  ['pay \u202e001 to ana', 'pay \\u202e001 to ana'],
  ['lines\nand\ttabs, accents é, 日本, 👩‍💻 stay', 'lines\nand\ttabs, accents é, 日本, 👩‍💻 stay'],
])('%j is shown as %j', (text, shown) => expect(visibleText(text)).toBe(shown))
