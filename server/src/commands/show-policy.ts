import type { Caller } from '../contract/caller.ts'
import type { PolicyNotice } from '../contract/policy.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { explainPolicy, type ShownPolicy } from '../core/gate/policy/show.ts'
import { type LivePolicy, type Reloaded } from './live-policy.ts'

export type PolicyInForce = ShownPolicy & { readonly since: number; readonly notices: readonly PolicyNotice[] }

/** Kinds of caller who may see what is in force; a part of them may also try drafts on it. */
const READERS: readonly Caller['kind'][] = ['user', 'approver', 'admin']
const TRIERS: readonly Caller['kind'][] = ['approver', 'admin']

/** Whether this caller may try drafts: test, lint, diff and replay look into calls of other people. */
export function mayTry(caller: Caller): Result<void> {
  return TRIERS.includes(caller.kind) ? ok(undefined) : refuse('auth.forbidden', { needs: TRIERS.join(', ') })
}

/** What is in force and why, and what was refused since. */
export function showPolicy({ live }: { readonly live: LivePolicy }, caller: Caller): Result<PolicyInForce> {
  if (!READERS.includes(caller.kind)) return refuse('auth.forbidden', { needs: READERS.join(', ') })
  return ok({ ...explainPolicy(live.current()), since: live.since(), notices: noticesOf(live) })
}

export function noticesOf(live: LivePolicy): readonly PolicyNotice[] {
  const notice = live.notice()
  return notice === undefined ? [] : [notice]
}

/** Reads the policy from disk again, because somebody asks for it. */
export function reloadPolicy({ live }: { readonly live: LivePolicy }, caller: Caller): Promise<Result<Reloaded>> {
  if (caller.kind !== 'admin') return Promise.resolve(refuse('auth.forbidden', { needs: 'admin' }))
  return live.reload('request', caller.id)
}
