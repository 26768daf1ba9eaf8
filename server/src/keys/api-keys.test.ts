import { describe, expect, test } from 'vitest'
import { hashApiKey, newApiKey, sameSecret } from './api-keys.ts'

describe('API keys', () => {
  test('a new key tells its kind and is kept as a digest only', () => {
    const { key, hash } = newApiKey('agent')
    expect(key).toMatch(/^sluice_agent_[A-Za-z0-9_-]{43}$/)
    expect(hash).toBe(hashApiKey(key))
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(newApiKey('agent').key).not.toBe(key)
  })

  test('the digest is plain SHA-256', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('secrets are the same only when every character is', () => {
    expect(sameSecret('abc', 'abc')).toBe(true)
    expect(sameSecret('abc', 'abd')).toBe(false)
    expect(sameSecret('abc', 'abcd')).toBe(false)
    expect(sameSecret('', 'a')).toBe(false)
  })
})
