import type { CallerNames } from '../../contract/caller-identity.ts'

/** What a key was sent for. A run's own key and the later rounds of one call never meet a key that a caller chose. */
export type KeyUse = { readonly is: 'call' | 'run' | 'request'; readonly round?: number }

/**
 * A caller's idempotency key among those of all callers, as one text.
 * INVARIANT: injective, and stored, so it never changes (pinned in idempotency-key.test.ts).
 */
export function scopedKey({ id, user }: CallerNames, key: string, { is, round }: KeyUse): string {
  return JSON.stringify([is, id, user, key, ...(round === undefined ? [] : [round])])
}
