import type { Caller } from '../contract/caller.ts'
import type { PolicyNotice } from '../contract/policy.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { explainPolicy, type ShownPolicy } from './show.ts'
import type { LivePolicy, Reloaded } from './live-policy.ts'

export type PolicyInForce = ShownPolicy & { readonly since: number; readonly notices: readonly PolicyNotice[] }

const READERS: readonly Caller['kind'][] = ['user', 'approver', 'admin']

/** The active policy and its sources, and what was rejected since. */
export function showPolicy({ live }: { readonly live: LivePolicy }, caller: Caller): Result<PolicyInForce> {
  if (!READERS.includes(caller.kind)) return refuse('auth.forbidden', { needs: READERS.join(', ') })
  return ok({ ...explainPolicy(live.current()), since: live.since(), notices: noticesOf(live) })
}

export function noticesOf(live: LivePolicy): readonly PolicyNotice[] {
  const notice = live.notice()
  return notice === undefined ? [] : [notice]
}

/** Reads the policy from disk again, on request. */
export async function reloadPolicy({ live }: { readonly live: LivePolicy }, caller: Caller): Promise<Result<Reloaded>> {
  return caller.kind === 'admin' ? live.reload('request', caller.id) : refuse('auth.forbidden', { needs: 'admin' })
}
