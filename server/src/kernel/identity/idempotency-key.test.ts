import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { scopedKey, type KeyUse } from './idempotency-key.ts'

const text = fc.oneof(fc.string(), fc.constantFrom('a', 'a b', 'b', '"', '","', 'k', 'k/2', 'toolflow/run_1'))
const use: fc.Arbitrary<KeyUse> = fc.oneof(
  fc.record({ is: fc.constantFrom('call' as const, 'run' as const, 'request' as const) }),
  fc.record({ is: fc.constant('call' as const), round: fc.integer({ min: 2, max: 9 }) }),
)

test('law: two scoped keys are equal only if caller, key and use are', () => {
  const one = fc.tuple(text, text, text, use)
  fc.assert(
    fc.property(one, one, (a, b) => {
      const scoped = ([id, user, key, kind]: typeof a) => scopedKey({ id, user }, key, kind)
      expect(scoped(a) === scoped(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
  )
})

test('the stored form never changes', () => {
  const caller = { id: 'agent:a', user: 'ana' }
  expect(scopedKey(caller, 'k', { is: 'call' })).toBe('["call","agent:a","ana","k"]')
  expect(scopedKey(caller, 'k', { is: 'call', round: 2 })).toBe('["call","agent:a","ana","k",2]')
})
