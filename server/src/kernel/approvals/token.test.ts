import { describe, expect, test } from 'vitest'
import { parseToken } from './token.ts'

const nonce = '0123456789abcdef'
const mac = 'a'.repeat(64)

describe('the text of a token', () => {
  test('a well-formed token is parsed', () => {
    expect(parseToken(`v1.1700000000.${nonce}.${mac}`)).toEqual({ seconds: 1_700_000_000, nonce, mac })
    expect(parseToken(`v1.0.${nonce}.${mac}`)?.seconds).toBe(0)
  })

  test.each([
    ['nothing', ''],
    ['another version', `v2.1.${nonce}.${mac}`],
    ['an upper-case version', `V1.1.${nonce}.${mac}`],
    ['a leading zero', `v1.01.${nonce}.${mac}`],
    ['a sign', `v1.+1.${nonce}.${mac}`],
    ['a negative time', `v1.-1.${nonce}.${mac}`],
    ['an exponent', `v1.1e9.${nonce}.${mac}`],
    ['a time beyond every clock', `v1.1700000000000.${nonce}.${mac}`],
    ['full-width digits', `v1.\uff11.${nonce}.${mac}`],
    ['an upper-case nonce', `v1.1.${nonce.toUpperCase()}.${mac}`],
    ['an upper-case mac', `v1.1.${nonce}.${mac.toUpperCase()}`],
    ['a short nonce', `v1.1.${nonce.slice(1)}.${mac}`],
    ['a long mac', `v1.1.${nonce}.${mac}0`],
    ['a leading space', ` v1.1.${nonce}.${mac}`],
    ['a final line feed', `v1.1.${nonce}.${mac}\n`],
    ['a fifth part', `v1.1.${nonce}.${mac}.`],
  ])('%s is not a token', (_, text) => {
    expect(parseToken(text)).toBeUndefined()
  })
})
