import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looksLike } from './looks-like.ts'

describe('names that look alike', () => {
  test.each([
    ['read_file', 'reаd_file', 'a Cyrillic а'],
    ['send_email', 'sеnd_emаil', 'two Cyrillic letters'],
    ['open', 'οpen', 'a Greek omicron'],
    ['list_files', '1ist_files', 'a one for an l'],
    ['format', 'forrnat', 'rn for m'],
    ['read_file', 'read\u200b_file', 'a zero-width space'],
    ['read_file', 'Read_File', 'another case'],
    ['read_file', 'ｒｅａｄ_ｆｉｌｅ', 'full-width letters'],
    ['add-user', 'add‑user', 'another hyphen'],
    ['login', 'Iogin', 'a capital i for an l'],
  ])('%s and %s: %s', (a, b) => {
    expect(looksLike(a, b)).toBe(true)
    expect(looksLike(b, a)).toBe(true)
  })

  test.each([
    ['read_file', 'read_files'],
    ['get_user', 'set_user'],
    ['list_malls', 'list_mails'],
    ['createIssue', 'createIssues'],
    ['读取', '写入'],
  ])('%s and %s do not', (a, b) => {
    expect(looksLike(a, b)).toBe(false)
  })

  test('a name does not look like itself, and likeness is mutual', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(looksLike(a, a)).toBe(false)
        expect(looksLike(a, b)).toBe(looksLike(b, a))
      }),
    )
  })
})
