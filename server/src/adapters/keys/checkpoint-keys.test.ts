import { describe, expect, test } from 'vitest'
import { checkpointKeyId, createCheckpointKeys, isCheckpointKey, newCheckpointKey } from './checkpoint-keys.ts'

/** RFC 8032, section 7.1, test 3: not our own key, so the bytes must be the standard's. */
const RFC8032 = {
  seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
  public: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
}

describe('checkpoint keys', () => {
  const active = newCheckpointKey()
  const old = newCheckpointKey()
  const keys = createCheckpointKeys(active, [{ public: old.public }])

  test('a seed of the standard gives the standard`s public key', () => {
    expect(isCheckpointKey(RFC8032)).toBe(true)
    expect(isCheckpointKey({ ...RFC8032, seed: old.seed })).toBe(false)
    expect(createCheckpointKeys(RFC8032, []).publicKey(checkpointKeyId(RFC8032.public))).toBe(RFC8032.public)
  })

  test('what was signed is genuine, and nothing else is', () => {
    const { key, signature } = keys.sign('{"a":1}')
    expect(key).toMatch(/^[0-9a-f]{16}$/)
    expect(keys.isGenuine('{"a":1}', key, signature)).toBe(true)
    expect(keys.isGenuine('{"a":2}', key, signature)).toBe(false)
    expect(keys.isGenuine('{"a":1}', checkpointKeyId(old.public), signature)).toBe(false)
    expect(keys.isGenuine('{"a":1}', '0'.repeat(16), signature)).toBe(false)
    expect(keys.isGenuine('{"a":1}', key, signature.toUpperCase())).toBe(false)
    expect(keys.isGenuine('{"a":1}', key, signature.slice(0, -2))).toBe(false)
    expect(keys.isGenuine('{"a":1}', key, '')).toBe(false)
  })

  test('every flipped bit of a signature is detected', () => {
    const { key, signature } = keys.sign('x')
    const bytes = Buffer.from(signature, 'hex')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const forged = Buffer.from(bytes)
      forged.writeUInt8(forged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      expect(keys.isGenuine('x', key, forged.toString('hex'))).toBe(false)
    }
  })

  test('a retired key verifies what it signed', () => {
    const before = createCheckpointKeys(old, []).sign('x')
    expect(keys.isGenuine('x', before.key, before.signature)).toBe(true)
    expect(keys.publicKey(before.key)).toBe(old.public)
    expect(keys.publicKey('0'.repeat(16))).toBeUndefined()
  })
})
