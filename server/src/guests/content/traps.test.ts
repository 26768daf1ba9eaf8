import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { base64Cores, utf8 } from '../../kernel/text/encodings.ts'
import { textLeaves } from '../../kernel/text/text-leaves.ts'
import { compileTrap, triggeredTraps } from './traps.ts'

const TOKEN = 'Sesame-4711/öffne'
const trap = compileTrap('token', 'traps.tokens.0', TOKEN)
const isSprung = (args: Json) => triggeredTraps(textLeaves(args), [trap]).length > 0

describe('a honey token is found', () => {
  const bytes = Buffer.from(`before ${TOKEN} after`)
  test.each<[string, Json]>([
    ['as it is', { text: TOKEN }],
    ['inside other text', { text: `use ${TOKEN}!` }],
    ['nested deeply', { a: [{ b: [[TOKEN]] }] }],
    ['as the name of a field', { [TOKEN]: 1 }],
    ['in other letter case', { text: TOKEN.toUpperCase() }],
    ['in full-width letters', { text: TOKEN.replace('S', 'Ｓ').replace('4', '４') }],
    ['with spaces and line breaks in between', { text: TOKEN.split('').join(' \n') }],
    ['with invisible characters', { text: TOKEN.split('').join('\u200b') }],
    ['percent-encoded', { url: `https://x.test/?q=${encodeURIComponent(TOKEN)}` }],
    ['percent-encoded completely', { url: [...Buffer.from(TOKEN)].map((byte) => `%${byte.toString(16)}`).join('') }],
    ['percent-encoded twice', { url: encodeURIComponent(encodeURIComponent(TOKEN)) }],
    ['as JSON inside a string', { body: JSON.stringify({ key: TOKEN }).replace('ö', '\\u00f6').replace('/', '\\/') }],
    ['in base64', { data: bytes.toString('base64') }],
    ['in URL-safe base64', { data: bytes.toString('base64url') }],
    ['in base64 with line breaks', { data: bytes.toString('base64').replace(/(.{10})/g, '$1\n') }],
    ['in base64, lower-cased first', { data: Buffer.from(`x${TOKEN.toLowerCase()}`).toString('base64') }],
    ['in hexadecimal', { data: bytes.toString('hex').toUpperCase() }],
  ])('%s', (_, args) => expect(isSprung(args)).toBe(true))

  test('as a number', () => {
    const card = compileTrap('token', 'traps.tokens.1', '4111111111111111')
    expect(triggeredTraps(textLeaves({ card: 4111111111111111 }), [card])).toHaveLength(1)
  })

  test('as a path in other spellings', () => {
    const file = compileTrap('file', 'traps.files.0', '/srv/bait/passwords.txt')
    for (const text of ['cat /srv/bait/passwords.txt', '\\srv\\bait\\passwords.txt', '/srv//bait/./PASSWORDS.txt'])
      expect(triggeredTraps(textLeaves({ text }), [file])).toHaveLength(1)
    expect(triggeredTraps(textLeaves({ text: '/srv/bait/other.txt' }), [file])).toEqual([])
  })

  test('and nothing else is', () => {
    for (const text of ['Sesame-4712/öffne', 'sesame', '', 'öffne', Buffer.from('Sesame').toString('base64')])
      expect(isSprung({ text })).toBe(false)
  })

  test('law: anywhere in base64 of anything, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.constantFrom('base64', 'base64url'), (left, right, as) => {
        const data = Buffer.concat([left, Buffer.from(TOKEN), right]).toString(as)
        expect(isSprung({ data })).toBe(true)
      }),
    )
  })

  test('law: more text around the arguments never hides it', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), fc.string(), (other, left, right) => {
        const args = { other: JSON.parse(other) as Json, text: `${left}${TOKEN}${right}` }
        expect(isSprung(args)).toBe(true)
      }),
    )
  })
})

describe('encodings', () => {
  test('law: the bytes are those of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8(text)).toEqual([...Buffer.from(text)])
      }),
    )
  })

  test('law: every base64 text of the bytes contains one of the cores', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array({ minLength: 6 }), fc.uint8Array(), (left, inner, right) => {
        const whole = Buffer.concat([left, inner, right]).toString('base64')
        expect(base64Cores([...inner]).some((core) => whole.includes(core))).toBe(true)
      }),
    )
  })
})
