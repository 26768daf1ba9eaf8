import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { compileOwn } from './find-own.ts'
import { holdsOwn, OWN_CREDENTIAL_MARK, redactOwn, redactOwnJson } from './redact-own.ts'

const KNOWN = 'hunter2-Correct.Horse+Battery/Staple'
const own = compileOwn([KNOWN])
const keyOf = (kind: string) => `sluice_${kind}_${randomBytes(32).toString('base64url')}`
const token = `v1.1794765190.${randomBytes(8).toString('hex')}.${randomBytes(32).toString('hex')}`
const spread = (text: string, every: number, by: string) =>
  text.replace(new RegExp(`.{${every}}`, 'g'), (part) => `${part}${by}`)

/** How a tool may transform a text before it answers with it, or an agent before it sends it. */
const ENCODINGS: readonly [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 after one byte', (text) => Buffer.from(`x${text}`).toString('base64')],
  ['base64 after two bytes', (text) => Buffer.from(`xy${text}`).toString('base64')],
  ['base64url', (text) => Buffer.from(`{"a":"${text}"}`).toString('base64url')],
  ['base64 in short lines', (text) => spread(Buffer.from(text).toString('base64'), 8, '\n')],
  ['hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['upper-case hexadecimal', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['hexadecimal in pairs', (text) => spread(Buffer.from(text).toString('hex'), 2, ' ')],
  [
    'percent-encoded',
    (text) =>
      text
        .split('')
        .map((one) => `%${one.charCodeAt(0).toString(16)}`)
        .join(''),
  ],
  [
    'percent-encoded twice',
    (text) =>
      text
        .split('')
        .map((one) => `%25${one.charCodeAt(0).toString(16)}`)
        .join(''),
  ],
  [
    'escaped',
    (text) =>
      text
        .split('')
        .map((one) => `\\u00${one.charCodeAt(0).toString(16)}`)
        .join(''),
  ],
  ['with spaces in between', (text) => spread(text, 1, ' ')],
  ['with line breaks in between', (text) => spread(text, 5, '\r\n')],
  ['with invisible characters in between', (text) => spread(text, 3, '\u200b')],
  ['with tag characters and selectors in between', (text) => spread(text, 4, '\u{e0041}\ufe0f\u202e')],
  ['with other letter case at its beginning', (text) => text.replace(/^sluice_[a-z]+|^v/, (one) => one.toUpperCase())],
  ['in full-width letters', (text) => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))],
  [
    'in mathematical letters',
    (text) => text.replace(/[a-z]/g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0x1d5ba - 97)),
  ],
]
const CREDENTIALS = [
  ...['agent', 'user', 'approver', 'reviewer', 'admin', 'node'].map((kind) => [`${kind} key`, keyOf(kind)] as const),
  ['approval token', token] as const,
  ['known secret', KNOWN] as const,
]

describe.each(CREDENTIALS)('the %s', (_, credential) => {
  test.each(ENCODINGS)('is found and removed: %s', (_name, encode) => {
    const text = `before ${encode(credential)} after`
    expect(holdsOwn(text, own)).toBe(true)
    const left = redactOwn(text, own)
    expect(left).toContain(OWN_CREDENTIAL_MARK)
    expect(holdsOwn(left, own)).toBe(false)
    expect(left.replace(/\s/g, '')).not.toContain(encode(credential).replace(/\s/g, '').slice(20, -8))
  })

  test('is removed from names and values at any depth, and everything else is kept', () => {
    const value = { a: [{ [credential]: `x ${credential}` }, 1, null], b: 'plain' }
    const left = JSON.stringify(redactOwnJson(value, own))
    expect(left).not.toContain(credential)
    expect(left).toBe(`{"a":[{"${OWN_CREDENTIAL_MARK}":"x ${OWN_CREDENTIAL_MARK}"},1,null],"b":"plain"}`)
  })
})

test.each([
  'keys look like sluice_agent_ followed by 43 random characters and then nothing else at all in them',
  'sluice_agent_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'sluice_agent_…',
  'v1.2.3',
  'v1.1794765190.abc',
  'version v1.10.0 of sluice_core_module_name_that_is_long_enough_to_be_a_key_or_so',
  Buffer.from('sluice_agent_ is a prefix').toString('base64'),
])('%j is not a credential', (text) => {
  expect(holdsOwn(text, own)).toBe(false)
  expect(redactOwn(text, own)).toBe(text)
})

test('one that is the whole text is found, whatever else is known', () => {
  for (const known of [[], ['a-short-one'], ['x'.repeat(200)]])
    for (const text of [keyOf('user'), keyOf('node'), token, ...known])
      expect(holdsOwn(text, compileOwn(known))).toBe(true)
})

test('one that is nested deep is removed as fast as any other', () => {
  // Searching each level before copying it would take time exponential in the depth.
  const nested = (depth: number): Json =>
    depth === 0 ? keyOf('agent') : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) }
  expect(JSON.stringify(redactOwnJson(nested(150), own))).toContain(OWN_CREDENTIAL_MARK)
})

test('law: the result contains no credential, and a value without one is returned unchanged (same object)', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom(...CREDENTIALS.map(([, credential]) => credential)),
    fc.constantFrom(...CREDENTIALS.map(([, credential]) => Buffer.from(credential).toString('base64'))),
  )
  fc.assert(
    fc.property(fc.array(part), fc.constantFrom('', ' ', ',', '\n'), (parts, between) => {
      const text = parts.join(between)
      const left = redactOwn(text, own)
      expect(holdsOwn(left, own)).toBe(false)
      if (!holdsOwn(text, own)) expect(left).toBe(text)
    }),
  )
  const value = { a: ['b', { c: 'd' }] }
  expect(redactOwnJson(value, own)).toBe(value)
})
