import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { canMatch } from '../../kernel/text/glob-reach.ts'
import { looseReadings } from './loose-readings.ts'

const posix = { windows: false, home: '/home/ana' }

test.each([
  ['%2esluice%2fadmin.key', '.sluice/admin.key'],
  ['%252esluice/admin.key', '.sluice/admin.key'],
  ['\\u002esluice/admin.key', '.sluice/admin.key'],
  ['file:///p/%2Esluice/x', '/p/.sluice/x'],
  ['FILE://localhost/p/.sluice', '/p/.sluice'],
  ['file://other/p/.sluice', '/p/.sluice'],
  ['file:/p/.sluice?x', '/p/.sluice'],
  ['sqlite:////p/.sluice', '/p/.sluice'],
  ['~/.sluice', '/home/ana/.sluice'],
  ['~ana/.sluice', '/home/ana/.sluice'],
  ['$HOME/.sluice', '/home/ana/.sluice'],
  ['${HOME}/.sluice', '/home/ana/.sluice'],
  ['%USERPROFILE%\\.sluice', '/home/ana/.sluice'],
  ['$PWD/.sluice', '.sluice'],
  ['~+/.sluice', '.sluice'],
  ['file:.sluice', '.sluice'],
  ['.sluice\0.txt', '.sluice'],
  ['.sluice/x\ny', '.sluice/x'],
  ['"/p/.sluice"', '/p/.sluice'],
  ['.sluice\\x', '.sluice/x'],
  ['.slu\\ice', '.sluice'],
  ['.sluice./x ', '.sluice/x'],
  ['．ｓluice／x', '.sluice/x'],
  ['.slu\u200bice', '.sluice'],
  ['///p//./.sluice', '/p/.sluice'],
  [`/${'./'.repeat(3000)}p`, '/p'],
  [`${'%2e%2f'.repeat(1000)}.sluice`, '.sluice'],
])('%j can be read as %j', (text, reading) =>
  expect(looseReadings(text, posix).map((one) => one.replace(/^\.\//, ''))).toContain(reading),
)

test('law: the text itself is one of its readings, and there are few', () => {
  const piece = fc.constantFrom('..', '/', '\\', '%2e', '~', 'a', ' ', '．', '\0', 'file:', '$HOME', '"', '.', '\n')
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 10 }), (pieces) => {
      const text = pieces.join('')
      const readings = looseReadings(text, posix)
      expect(readings).toContain(text)
      expect(readings.length).toBeLessThanOrEqual(32)
    }),
  )
})

test.each([
  ['/p/.slu*/admin.key', true],
  ['/p/.sl?ice', true],
  ['/p/.[s]luice/x', true],
  ['/p/{a,.sluice}/x', true],
  ['/*/.sluice', true],
  ['/**/.sl*/x', true],
  ['/**/.sluice', true],
  ['/*/*/x', false],
  ['/**/*.ts', false],
  ['/p/**/x', false],
  ['/p/**', false],
  ['/p/*.ts', false],
  ['/p/src/**', false],
  ['/q/*', false],
  ['/p', false],
])('the pattern %s reaches into /p/.sluice: %s', (pattern, expected) =>
  expect(canMatch(pattern, '/p/.sluice')).toBe(expected),
)
