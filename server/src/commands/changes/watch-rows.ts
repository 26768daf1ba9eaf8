import type { Change, CommitId, Ledger, Table } from '../ports/ledger.ts'
import type { Doubts } from './settle-doubts.ts'
import { isInDoubt } from './unrecorded.ts'

/** Hears of every row that was swapped by this process, after the commit is durable. */
export interface Watch {
  /** Returns how to stop listening. */
  onRow(listener: (table: Table, id: string) => void): () => void
  /** Hears of every commit as a whole. The commit waits for it, so it does next to nothing. */
  onCommit(listener: (changes: readonly Change[]) => void): () => void
}

/** The same ledger, with an ear on it: what waits for a row to move need not ask again and again. */
export function watchRows(ledger: Ledger, doubts?: Doubts): Ledger & Watch {
  const listeners = new Set<(table: Table, id: string) => void>()
  const wholes = new Set<(changes: readonly Change[]) => void>()
  const tell = (changes: readonly Change[]) => {
    if (listeners.size > 0) {
      for (const change of changes) {
        if (change.kind === 'swap') for (const listener of listeners) listener(change.table, change.id)
      }
    }
    for (const listener of wholes) listener(changes)
  }
  /** A commit that stays in doubt is told of when it turns out to be stored. */
  const tellLater = async (id: CommitId, changes: readonly Change[]) => {
    if ((await doubts?.known(id)) === 'committed') tell(changes)
  }
  return {
    async commit(changes: readonly Change[]) {
      const committed = await ledger.commit(changes)
      if (committed === 'committed') tell(changes)
      else if (isInDoubt(committed)) void tellLater(committed.in_doubt, changes)
      return committed
    },
    onRow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onCommit(listener) {
      wholes.add(listener)
      return () => void wholes.delete(listener)
    },
  }
}
