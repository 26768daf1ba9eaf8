import type { Change } from '../ports/ledger.ts'

/** What it means for a call that one of its changes made the commit lose. */
export type LostMeans =
  /** A pause, the tool or a key was changed since the judgement: refresh the catalogue, judge again. */
  | 'changed'
  /** Another call took the last unit of a budget, a consent, a key or a limit, or an equal call was held first: judge again. */
  | 'used_up'
  /** Another request used the idempotency key first: answer with its call. */
  | 'same_key'
  /** Another process changed the call or its request first. */
  | 'taken'

/**
 * The changes of one commit and, at the same index, what losing each of them means. A list beside the changes, because those go to the
 * store as they are. An index beyond both belongs to a change that was added on the way: judge again.
 */
export type CommitPlan = { readonly changes: Change[]; readonly means: LostMeans[] }

export function addToPlan({ changes, means }: CommitPlan, meaning: LostMeans, added: readonly Change[]): void {
  for (const change of added) {
    changes.push(change)
    means.push(meaning)
  }
}
