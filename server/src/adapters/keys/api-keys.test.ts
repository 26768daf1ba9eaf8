import { expect, test } from 'vitest'
import { newApiKey } from './api-keys.ts'

test('a key names its kind, has 256 random bits, and is never repeated', () => {
  expect(newApiKey('agent')).toMatch(/^sluice_agent_[A-Za-z0-9_-]{43}$/)
  expect(new Set(Array.from({ length: 100 }, () => newApiKey('admin'))).size).toBe(100)
})
