import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

const SAYS = {
  canonical_differs: 'the canonical form that the caller sent does not match the arguments',
  hash_differs: 'the hash that the caller sent does not match the arguments',
} as const

/** No opinion when intact: a matching hash is no reason to allow anything. */
export function judgeIntegrity(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  if (facts.integrity === 'intact') return []
  const says = SAYS[facts.integrity]
  const source = `caller ${call.caller.id}`
  return [{ decider: 'integrity', effect: 'block', rule: `integrity.${facts.integrity}`, says, source, at: facts.now }]
}
