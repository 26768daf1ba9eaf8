import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pathReadings } from './path-readings.ts'

const posix = { windows: false, home: '/home/ana' }
const windows = { windows: true, home: 'C:\\Users\\ana' }
const faultOf = (text: string, machine = posix) => {
  const read = pathReadings(text, machine)
  return read.is === 'refused' ? read.fault : undefined
}
const pathsOf = (text: string, machine = posix) => {
  const read = pathReadings(text, machine)
  return read.is === 'read' ? read.paths : []
}

describe('a path is rejected when', () => {
  test.each([
    ['a\0b', 'control_character'],
    ['a\nb', 'control_character'],
    ['a\u0085b', 'control_character'],
    ['//host/share', 'network'],
    ['\\\\host\\share', 'network'],
    ['\\\\?\\C:\\x', 'network'],
    ['／／host/share', 'network'],
    ['file://host/etc/passwd', 'network'],
    ['/../\\host\\share', 'network'],
    ['C:\\Windows', 'drive'],
    ['c:secret', 'drive'],
    ['%2e%2e/x', 'encoded'],
    ['..%2Fx', 'encoded'],
    ['a%5cb', 'encoded'],
    ['%252e%252e%252fx', 'encoded'],
    ['x%00.txt', 'encoded'],
    ['%25%32%65%25%32%65/x', 'encoded'],
    ['%252525252e%252525252e/x', 'encoded'],
    ['%c0%ae%c0%ae/x', 'encoded'],
    ['%ef%bc%8e%ef%bc%8e/x', 'encoded'],
    ['%u002e%u002e/x', 'encoded'],
    ['\uff05\uff12\uff45x', 'encoded'],
    ['file:///a%2fb', 'encoded'],
    ['file:///a%ZZ', 'encoded'],
    ['file:///%252e%252e/x', 'encoded'],
    ['~root/x', 'home'],
    ['~+/x', 'home'],
    ['$HOME/x', 'variable'],
    ['${HOME}/x', 'variable'],
    ['%USERPROFILE%\\x', 'variable'],
    ['$env:TEMP\\x', 'variable'],
    ['a/.../b', 'dots'],
    ['a/.. /b', 'dots'],
    ['a/. ./b', 'dots'],
    ['file:relative', 'url'],
    ['file:///x?y', 'url'],
    ['file:///x#y', 'url'],
    ['file:', 'url'],
  ])('it is %j', (text, fault) => expect(faultOf(text)).toBe(fault))

  test('it names a drive without a root, on Windows too', () => {
    expect(faultOf('C:x', windows)).toBe('drive')
    expect(faultOf('C:\\x', windows)).toBeUndefined()
  })
})

describe('a path is read as', () => {
  test.each([
    ['plain/name.txt', ['plain/name.txt']],
    ['', ['']],
    ['~', ['~', '/home/ana']],
    ['~/x', ['~/x', '/home/ana/x']],
    [' /etc/passwd ', [' /etc/passwd ', '/etc/passwd']],
    ['..\\x', ['..\\x', '../x']],
    ['a/../b', ['a/../b', 'b']],
    ['/a/../../b', ['/a/../../b', '/b']],
    ['../../b', ['../../b']],
    ['．．／x', ['．．／x', '../x']],
    ['file:///etc/pass%77d', ['/etc/passwd']],
    ['FILE://localhost/etc/passwd', ['/etc/passwd']],
    ['file:/etc/passwd', ['/etc/passwd']],
    ['ｆile:///etc/passwd', ['/etc/passwd']],
    ['100%.txt', ['100%.txt']],
    ['$id.tsx', ['$id.tsx']],
  ])('%j is %j', (text, paths) => expect(pathsOf(text)).toEqual(paths))

  test('a Windows file address is its drive path', () => {
    expect(pathsOf('file:///C:/x', windows)).toEqual(['C:/x'])
  })

  test('law: the text itself is always among the readings, and a plain path has no other reading', () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,8}(\.[a-z]{1,3})?$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.boolean(), (names, absolute) => {
        const path = `${absolute ? '/' : ''}${names.join('/')}`
        expect(pathsOf(path)).toEqual([path])
      }),
    )
  })

  test('law: no reading contains a control character or an encoded parent folder', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '%2e',
      '%2F',
      '%252e',
      '~',
      'a',
      ' ',
      '．',
      '／',
      '\0',
      'file:',
      'C:',
      '$HOME',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        for (const path of pathsOf(pieces.join(''))) {
          expect(path).not.toMatch(/%(?:2e|2f|5c|00)/i)
          expect(path).not.toContain('\0')
          // `///x` is read as `/x` by every program.
          expect(path).not.toMatch(/^(?:[\\/]{2}(?!\/)|\\\\)/)
        }
      }),
    )
  })
})
