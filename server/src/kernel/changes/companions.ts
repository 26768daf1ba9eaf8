import type { Change, Ledger } from '../ports/ledger.ts'

/** What is written together with the changes of others. Both functions are pure but for ids and the time. */
export type Companion = {
  /** Changes one change in place; returns it as it is if there is nothing to do. */
  readonly stamp?: (change: Change) => Change
  /** Further changes. It sees the commit as it was asked for, without those of other companions. */
  readonly add?: (changes: readonly Change[]) => readonly Change[]
}

/** What companions need of a gate, by who contributes them. A guest adds a field with what its own need. */
export interface CompanionNeeds {}

/**
 * Wraps the ledger; its commits also contain what the companions say, in their order.
 * INVARIANT: it is durable exactly when the commit is. It comes last, so that `lost` names the same change.
 */
export function withCompanions(ledger: Ledger, companions: readonly Companion[]): Ledger {
  const adds = companions.flatMap(({ add }) => add ?? [])
  const stamps = companions.flatMap(({ stamp }) => stamp ?? [])
  return {
    commit(changes) {
      let all: Change[] | undefined
      for (const add of adds) {
        const added = add(changes)
        if (added.length > 0) all = [...(all ?? changes), ...added]
      }
      return ledger.commit(stamps.reduce(stampedAll, all ?? changes))
    },
  }
}

function stampedAll(changes: readonly Change[], stamp: (change: Change) => Change): readonly Change[] {
  let all: Change[] | undefined
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at]
    const stamped = change && stamp(change)
    if (stamped === undefined || stamped === change) continue
    all ??= [...changes]
    all[at] = stamped
  }
  return all ?? changes
}
