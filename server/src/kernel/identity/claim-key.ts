import type { Caller } from '../contract/caller.ts'
import { ok, type Result } from '../contract/problems.ts'
import { scopedKey } from './idempotency-key.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

/** How long a caller's idempotency key stays taken. */
export const KEY_KEPT_MS = 86_400_000

/**
 * Takes an idempotency key for one request of one caller, durably.
 * INVARIANT: of all requests under one key, at most one is ever the first, even across restarts.
 */
export async function claimKey(
  { ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock },
  caller: Caller,
  key: string,
): Promise<Result<'first' | 'taken'>> {
  const claimed = await ledger.commit([
    { kind: 'once', key: `request ${scopedKey(caller, key, { is: 'request' })}`, until: clock() + KEY_KEPT_MS },
  ])
  if (isUnrecorded(claimed)) return refuseUnrecorded(claimed)
  return ok(claimed === 'committed' ? 'first' : 'taken')
}
