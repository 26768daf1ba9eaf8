import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyringCipher } from './shared-keys.ts'

const FILES = { 'token-keys.json': '{"v":1}', 'row-key.json': '{"v":1}' }
const secret = randomBytes(32)

test('the keys of a store are opened with its secret, as the version they were sealed for', () => {
  const sealed = keyringCipher(secret).seal(FILES, 7)
  expect(keyringCipher(secret).open(sealed, 7)).toEqual(FILES)
  expect(keyringCipher(secret).open(sealed, 6)).toBeUndefined()
  expect(keyringCipher(randomBytes(32)).open(sealed, 7)).toBeUndefined()
})

test('sealed keys that were changed anywhere, cut or replaced by nothing are not opened', () => {
  const cipher = keyringCipher(secret)
  const bytes = Buffer.from(cipher.seal(FILES, 1), 'base64url')
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(cipher.open(changed.toString('base64url'), 1)).toBeUndefined()
    expect(cipher.open(bytes.subarray(0, at).toString('base64url'), 1)).toBeUndefined()
  }
})
