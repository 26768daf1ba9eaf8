import type { Change, CommitId, Ledger, Table } from '../ports/ledger.ts'
import type { Notices } from '../ports/notices.ts'
import { changesIn } from './changes-in.ts'
import type { Doubts } from './settle-doubts.ts'
import { isInDoubt } from './unrecorded.ts'

/** Hears of every row that a commit swapped, on whichever node, after the commit is durable. */
export interface Watch {
  /** Returns how to stop listening. */
  onRow(listener: (table: Table, id: string) => void): () => void
}

/** What waits for a row to move need not ask again and again. */
export function watchRows(notices: Pick<Notices, 'subscribe'>): Watch {
  return {
    onRow: (listener) =>
      notices.subscribe('rows', (rows) => {
        for (const { table, id } of rows) listener(table, id)
      }),
  }
}

/** The same ledger, which tells all nodes of what it stored. */
export function announceCommits(ledger: Ledger, notices: Pick<Notices, 'publish'>, doubts?: Doubts): Ledger {
  const tell = (changes: readonly Change[]) => {
    const rows = changes.flatMap((change) => (change.kind === 'swap' ? [{ table: change.table, id: change.id }] : []))
    if (rows.length > 0) notices.publish('rows', rows)
    const happened = changesIn(changes)
    if (happened.length > 0) notices.publish('changes', happened)
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
  }
}
