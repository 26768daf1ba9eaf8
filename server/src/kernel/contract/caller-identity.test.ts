import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { callerIdentity, isSameCaller, sessionIdentity } from './caller-identity.ts'

const name = fc.oneof(fc.string(), fc.constantFrom('a', 'a b', 'b', '"', '\\', '","', 'agent:a', ' ', '["a"]'))
const caller = fc.record({ id: name, user: name })

test('law: two callers share an identity only if both id and user are equal', () => {
  fc.assert(
    fc.property(caller, caller, (one, other) => {
      expect(callerIdentity(one) === callerIdentity(other)).toBe(isSameCaller(one, other))
      expect(isSameCaller(one, other)).toBe(one.id === other.id && one.user === other.user)
    }),
  )
})

test('law: two sessions are one only if caller and thread are equal', () => {
  fc.assert(
    fc.property(caller, name, caller, name, (one, thread, other, second) => {
      const isSame = isSameCaller(one, other) && thread === second
      expect(sessionIdentity(one, thread) === sessionIdentity(other, second)).toBe(isSame)
    }),
  )
})

test('the stored form never changes', () => {
  expect(callerIdentity({ id: 'agent:claude', user: 'ana b' })).toBe('["agent:claude","ana b"]')
  expect(sessionIdentity({ id: 'agent:claude', user: 'ana' }, 't1')).toBe('["agent:claude","ana","t1"]')
})
