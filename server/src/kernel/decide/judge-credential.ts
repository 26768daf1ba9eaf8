import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

const SAYS = {
  revoked: 'the key this call was made with was revoked',
  expired: 'the credential this call was made with has expired',
  unknown: 'it could not be checked whether the key of this call is still valid',
} as const

/** A call runs only while its credential is valid. No opinion if it is: a valid key is no reason to allow anything. */
export function judgeCredential(_policy: Policy, call: Call, { credential, now }: Facts): Opinion[] {
  if (credential === 'active' || credential === 'none') return []
  return [
    {
      decider: 'credential',
      effect: 'block',
      rule: `credential.${credential}`,
      says: SAYS[credential],
      source: `caller ${call.caller.id}`,
      at: now,
    },
  ]
}
