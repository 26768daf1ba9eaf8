import type { CallerNames } from '../contract/caller-identity.ts'

/** What a key was sent for. The key of a run and the later rounds of one call never collide with a key that a caller chose. */
export type KeyUse = { readonly is: 'call' | 'run' | 'request'; readonly round?: number }

/**
 * A caller's idempotency key as one text that is unique among all callers.
 * INVARIANT: injective, and stored, so it never changes (pinned in idempotency-key.test.ts).
 */
export function scopedKey({ id, user }: CallerNames, key: string, { is, round }: KeyUse): string {
  return JSON.stringify([is, id, user, key, ...(round === undefined ? [] : [round])])
}
