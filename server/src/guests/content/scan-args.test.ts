import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { argRulesOf } from './arg-rules.ts'
import { argRules, builtIn } from './rules/built-in.suite.ts'
import { scanArgs } from './scan-args.ts'

// Assembled at run time, so that secret scanners do not report this file.
const SECRET = ['ghp', 'q7RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0AeUiO'].join('_')
const bytes = Buffer.from(SECRET)
const each = (change: (char: string) => string) => Array.from(SECRET, change).join('')
const parts = (size: number) => SECRET.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
const percent = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')
const fullWidth = (char: string) => (char === '_' ? '_' : String.fromCharCode(char.charCodeAt(0) + 0xfee0))

const secretsIn = (args: Json) => scanArgs(args, argRules).findings.filter(({ kind }) => kind === 'secret')

describe('a token is found', () => {
  test.each<[string, Json]>([
    ['as it is', { a: SECRET }],
    ['as the name of a field', { [SECRET]: 1 }],
    ['as the user of an address', { a: `https://${SECRET}@x.test/` }],
    ['as the password of an address', { a: `https://me:${SECRET}@x.test/` }],
    ['as a host', { a: `https://${SECRET}.x.test/` }],
    ['percent-encoded', { a: `https://x.test/?q=${percent(SECRET)}` }],
    ['percent-encoded twice', { a: encodeURIComponent(percent(SECRET)) }],
    ['in base64', { a: `https://x.test/${bytes.toString('base64')}` }],
    ['in base64 after other base64 characters', { a: `https://x.test/data/1/${bytes.toString('base64url')}` }],
    ['in base64 of base64', { a: Buffer.from(bytes.toString('base64')).toString('base64') }],
    [
      'in base64 with line breaks',
      {
        a: Buffer.from(`${'x'.repeat(70)} ${SECRET}`)
          .toString('base64')
          .replace(/(.{76})/g, '$1\r\n'),
      },
    ],
    ['in base64 of UTF-16', { a: Buffer.from(SECRET, 'utf16le').toString('base64') }],
    ['in base64, percent-encoded', { a: encodeURIComponent(Buffer.from(`key=${SECRET}??>`).toString('base64')) }],
    ['in base32', { a: 'M5UHAX3RG5JHUVBSNVFXQOKMO42FMYRYJZRTCWLEGZEGMM2KOM2UO4BQIFSVK2KP' }],
    ['in hexadecimal', { a: `https://x.test/${bytes.toString('hex')}` }],
    ['in hexadecimal with colons', { a: (bytes.toString('hex').match(/../g) ?? []).join(':') }],
    ['in hexadecimal escapes', { a: [...bytes].map((byte) => `\\x${byte.toString(16)}`).join('') }],
    ['in JSON inside a string', { a: JSON.stringify({ b: SECRET }).replace('gh', '\\u0067\\u0068') }],
    [
      'in JSON inside JSON inside a string',
      { a: JSON.stringify(JSON.stringify({ b: SECRET }).replace('gh', '\\u0067h')) },
    ],
    ['in HTML entities', { a: each((char) => `&#${char.charCodeAt(0)};`) }],
    ['in quoted-printable', { a: `=67=68=70=5F${SECRET.slice(4)}` }],
    ['in full-width letters', { a: each(fullWidth) }],
    ['with a letter of another alphabet', { a: SECRET.replace('p', 'р') }],
    ['with invisible characters', { a: each((char) => `${char}\u200b`) }],
    ['with spaces in between', { a: each((char) => `${char} `) }],
    ['with dots in between', { a: each((char) => `${char}.`) }],
    ['split over path segments', { a: `https://x.test/${parts(8).join('/')}` }],
    ['split over query fields', { a: `https://x.test/?a=${SECRET.slice(0, 20)}&b=${SECRET.slice(20)}` }],
    ['split over fields', { a: SECRET.slice(0, 10), b: SECRET.slice(10, 22), c: SECRET.slice(22) }],
    ['split over the items of a list', { list: parts(5) }],
  ])('%s', (_, args) => expect(secretsIn(args)).not.toEqual([]))

  test('with the path of the text that contains it, and its span if it is in plain form', () => {
    expect(secretsIn({ a: [{ b: `x ${SECRET}` }] })[0]).toMatchObject({
      path: '/a/0/b',
      start: 2,
      end: 2 + SECRET.length,
      spelled: 'plainly',
    })
    expect(secretsIn({ a: ['', bytes.toString('hex')] })[0]).toMatchObject({ path: '/a/1', spelled: 'encoded' })
    expect(secretsIn({ a: parts(5) })[0]).toMatchObject({ path: '/a/0', spelled: 'joined' })
  })

  test('also a password, if the name of its field says so', () => {
    expect(secretsIn({ password: percent('correct-horse-7') })).toMatchObject([{ type: 'PASSWORD' }])
    expect(secretsIn({ body: `p=${Buffer.from('password=correct-horse-7').toString('base64')}` })).not.toEqual([])
  })

  test('law: base64 and hexadecimal never hide it', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom('base64', 'base64url', 'hex'),
        (left, right, as) => {
          const data = Buffer.concat([left, Buffer.from(` ${SECRET} `), right]).toString(as)
          expect(secretsIn({ data })).not.toEqual([])
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('nothing is found', () => {
  test.each<[string, Json]>([
    ['in prose about tokens', { a: 'a ghp_ token is never to be used in any place where somebody else can read it' }],
    [
      'in the address of a commit',
      { a: 'https://github.com/acme/repo/blob/3f786850e387550fdab836ed7e6dc881de23001b/src/a.ts' },
    ],
    [
      'in digests',
      {
        sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        integrity: 'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
      },
    ],
    ['in identifiers', { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', ref: 'refs/heads/feature/ghp_tokens' }],
    ['in names', { a: 'Ωραία Πετρούπολη, Цветаева, 山田太郎' }],
  ])('%s', (_, args) => expect(secretsIn(args)).toEqual([]))

  test('in pictures', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 3_000, maxLength: 6_000 }), (picture) => {
        expect(secretsIn({ data: Buffer.from(picture).toString('base64') })).toEqual([])
      }),
      { numRuns: 30 },
    )
  })
})

describe('redaction marks', () => {
  test('are found in values, names and other spellings', () => {
    const mark = '[REDACTED_SECRET]'
    const args = { a: `x ${mark}`, [`k${mark}`]: 1, b: percent(mark), c: '[REDACTED]', d: 'REDACTED_X' }
    expect(scanArgs(args, argRules).marks).toEqual(['/a', `/k${mark}`, '/b'])
  })
})

test('law: whatever surrounds a text, its contents are found', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (other, left) => {
      const args = { other: JSON.parse(other) as Json, text: `${left} ${SECRET} ` }
      expect(secretsIn(args)).not.toEqual([])
    }),
  )
})

test('law: names that were searched before change nothing', () => {
  const used = argRulesOf(builtIn)
  const name = fc.constantFrom(
    'text',
    'password',
    'api_key',
    'a/b',
    SECRET,
    `k${SECRET.slice(0, 20)}`,
    SECRET.slice(20),
    percent(SECRET),
  )
  const value = fc.oneof(fc.constantFrom('correct-horse-7', '[REDACTED_SECRET]', SECRET), fc.string(), fc.nat())
  fc.assert(
    fc.property(fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value))), (args) => {
      expect(scanArgs(args, used)).toEqual(scanArgs(args, argRulesOf(builtIn)))
    }),
    { numRuns: 200 },
  )
})
