import type { RunId } from '../contract/ids.ts'
import type { Change, CommitId, Ledger, Table } from '../ports/ledger.ts'
import type { Notices } from '../ports/notices.ts'
import { changesIn, type ChangeNumbers } from './changes-in.ts'
import type { CallersOfKinds } from '../runs/may-see-run.ts'
import type { TableEntry } from './table-entry.ts'
import type { Doubts } from './resolve-doubts.ts'
import { isInDoubt } from './unrecorded.ts'

/** Notifies when a row was swapped, on any node, after the commit is durable. */
export interface Watch {
  /** The listener is called if the row changed, or may have changed, and reads it again. Returns a function that stops it. */
  onRow(table: Table, id: string, listener: () => void): () => void
}

/**
 * So that waiting for a row needs no polling.
 * INVARIANT: a commit costs the work of its own rows, however many listeners wait for others.
 */
export function watchRows(notices: Pick<Notices, 'subscribe' | 'onMissed'>): Watch {
  const waiting = new Map<string, Set<() => void>>()
  const notifyAll = (listeners: Iterable<() => void>) => {
    for (const listener of listeners) listener()
  }
  notices.subscribe('rows', (rows) => {
    if (waiting.size === 0) return
    for (const { table, id } of rows) notifyAll(waiting.get(`${table} ${id}`) ?? [])
  })
  notices.onMissed(() => [...waiting.values()].forEach(notifyAll))
  return {
    onRow(table, id, listener) {
      const key = `${table} ${id}`
      const listeners = waiting.get(key) ?? new Set()
      // A separate function, so that one listener can wait twice and stop once.
      const listenerOnce = () => listener()
      waiting.set(key, listeners.add(listenerOnce))
      return () => {
        listeners.delete(listenerOnce)
        if (listeners.size === 0 && waiting.get(key) === listeners) waiting.delete(key)
      }
    },
  }
}

export type AnnouncePorts = {
  readonly notices: Pick<Notices, 'publish'>
  readonly kinds: CallersOfKinds
  readonly tableEntries: readonly TableEntry[]
  readonly doubts?: Doubts
  readonly changeNumbers?: ChangeNumbers
}

/** Wraps the ledger and notifies all nodes of what it stored. */
export function announceCommits(
  ledger: Ledger,
  { notices, kinds, tableEntries, doubts, changeNumbers }: AnnouncePorts,
): Ledger {
  const topics = new Map(tableEntries.flatMap(({ table, topic }) => (topic === undefined ? [] : [[table, topic]])))
  const announce = (changes: readonly Change[]) => {
    const rows: { table: Table; id: string }[] = []
    const woken: RunId[] = []
    for (const change of changes) {
      if (change.kind === 'swap') rows.push({ table: change.table, id: change.id })
      else if (change.kind === 'wake' && change.at === undefined) woken.push(change.run)
    }
    if (rows.length > 0) notices.publish('rows', rows)
    if (woken.length > 0) notices.publish('wakes', woken)
    const happened = changesIn({ kinds, topics }, changes, changeNumbers)
    if (happened.length > 0) notices.publish('changes', happened)
  }
  /** A commit in doubt is reported when it turns out to be stored. */
  const announceLater = async (id: CommitId, changes: readonly Change[]) => {
    if ((await doubts?.known(id)) === 'committed') announce(changes)
  }
  return {
    commit: (changes: readonly Change[]) =>
      ledger.commit(changes).then((committed) => {
        if (committed === 'committed') announce(changes)
        else if (isInDoubt(committed)) void announceLater(committed.in_doubt, changes)
        return committed
      }),
  }
}
