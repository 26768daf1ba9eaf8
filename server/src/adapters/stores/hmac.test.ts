import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hmacSha256 } from './hmac.ts'

const nodes = (key: Uint8Array, texts: readonly string[]) =>
  createHmac('sha256', key).update(texts.join('')).digest('hex')
const ours = (key: Uint8Array, texts: readonly string[]) =>
  Buffer.from(hmacSha256(key)(...texts), 'latin1').toString('hex')

test('law: the same MAC as that of node:crypto, for keys and texts of any length, also with other letters', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 130 })
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc
      .tuple(fc.constantFrom('a', 'é', '\u4e2d', '\u{1f600}'), fc.nat({ max: 30_000 }))
      .map(([unit, n]) => unit.repeat(n)),
  )
  fc.assert(
    fc.property(key, fc.array(text, { minLength: 1, maxLength: 3 }), (key, texts) => {
      expect(ours(key, texts)).toBe(nodes(key, texts))
    }),
  )
})

test('a long text does not change the MAC of a shorter one after it', () => {
  const key = Buffer.alloc(32, 0x5e)
  const hmac = hmacSha256(key)
  for (const text of ['x'.repeat(20_000), 'short', '', 'y'.repeat(100_000), 'short'])
    expect(Buffer.from(hmac(text), 'latin1').toString('hex')).toBe(nodes(key, [text]))
})

test('a test vector of RFC 4231', () => {
  const hmac = hmacSha256(Buffer.from('Jefe'))('what do ya want ', 'for nothing?')
  expect(Buffer.from(hmac, 'latin1').toString('hex')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})
