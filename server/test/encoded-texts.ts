import * as fc from 'fast-check'

/** Made up here, so that secret scanners do not report this file. */
const TOKENS = [
  ['ghp', '_D4aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA1bC3d'].join(''),
  ['AKIA', 'QWERTYUIOPASDFGH'].join(''),
  'ana.roe@example.com',
  'the quarterly figures are in the shared folder',
  '4111 1111 1111 1111',
  // As short as a decoded text can be, in base64, hexadecimal and codes, and in base32.
  'ABCDEFGH12',
  'ABCDEFGHIJKLM12',
]

const bytes = (text: string): number[] => [...Buffer.from(text)]
const hex = (text: string, form: string): string => Buffer.from(text).toString('hex').replace(/../g, form)
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const bits = (text: string): string =>
  bytes(text)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
const base32 = (text: string): string =>
  (bits(text).match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('')

/** How an agent or a tool server may encode a text. */
export const ENCODINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(`xy${text}`).toString('base64url'),
  (text) => Buffer.from(text, 'utf16le').toString('base64'),
  (text) => Buffer.from(text).toString('base64').replace(/.{40}/g, '$&\n'),
  (text) => hex(text, '$&'),
  (text) => hex(text, '$& '),
  (text) => hex(text, '\\x$&'),
  (text) => hex(text, '0x$&,'),
  (text) => hex(text, '%$&'),
  (text) => hex(text, '\\u00$&'),
  (text) => hex(text, '&#x$&;'),
  (text) => hex(text, '=$&').toUpperCase(),
  base32,
  (text) => base32(text).toLowerCase(),
  (text) => bytes(text).join(','),
  (text) =>
    bytes(text)
      .map((byte) => `${byte},`)
      .join(''),
  (text) => bytes(text).join('; '),
  bits,
  (text) => bits(text).replace(/.{8}/g, '$& '),
  (text) => Array.from(text).toReversed().join(''),
  (text) => Array.from(text, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xe0000)).join(''),
]

const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz ',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_',
  BASE32,
  '0123456789abcdefABCDEFx\\ :,-',
  '0123456789 ,;:_/.-',
  '01 ',
  '%\\&=;#ux0123456789abcdefABCDEF',
  'a\u00e9\u0430\uff21\u2028\u00a0\u200b',
].map((chars) => fc.constantFrom(...Array.from(chars)))

/** Runs around the lengths from which on they are decoded. */
const run = fc.oneof(...ALPHABETS.map((unit) => fc.string({ unit, minLength: 0, maxLength: 90 })))
const encoded = fc
  .tuple(fc.constantFrom(...TOKENS), fc.array(fc.constantFrom(...ENCODINGS), { maxLength: 2 }))
  .map(([token, layers]) => layers.reduce((text, encode) => encode(text), token).slice(0, 600))

/** Random texts, and texts made to hide something: several parts, encoded and not, close together. */
export const encodedText: fc.Arbitrary<string> = fc
  .array(
    fc.tuple(
      fc.oneof(run, encoded, fc.string({ unit: 'binary' })),
      fc.constantFrom('', ' ', '<', '\n', '/', '=', '-', '_', '.', '\\n', '%20', '\u00a0', '?a='),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.flat().join(''))
