import type { Change, Table } from '../../../kernel/ports/ledger.ts'
import type { Stored, Page } from '../../../kernel/ports/reads.ts'

/** The newest labels of sessions, as this process stored them: a session reads each label a moment after it was recorded. */
export type LastLabels = {
  /** True only if no stored label of this session has a larger cursor. */
  isLast(session: string, cursor: number): boolean
  /** From memory, if the labels after the given cursor are known; otherwise `read` reads them. */
  list<Label extends Stored<Table>>(
    where: { readonly session?: unknown },
    page: Page,
    read: () => Promise<readonly Label[]>,
  ): Promise<readonly Label[]>
  /** For each commit that is stored, in the order of the commits. `cursors` has those of the labels that it and later ones inserted. */
  stored(changes: readonly Change[], cursors: Iterator<number> | undefined): void
  /** For a commit with another outcome. */
  forget(changes: readonly Change[]): void
  /** Another process has written. */
  clear(): void
}

/** INVARIANT: `added` contains all stored labels of the session whose cursor is larger than `from`, in the order of their cursors. */
type Known = { from: number; added: Stored<'labels'>[] }

/** If there are more, all of them are forgotten, and read from the store. Labels that a session has read are not counted. */
const MOST_SESSIONS = 1_000
const MOST_LABELS = 1_000
/** Characters. A longer label is read from the store. */
const MOST_TEXT = 4_096

/**
 * INVARIANT: only for the single writing process, because a label that another process stored would be missed. If one writes all the
 * same, everything is forgotten as soon as the writer thread notices it, which is with its next transaction.
 */
export function lastLabels(): LastLabels {
  const sessions = new Map<string, Known>()
  /** In all sessions. */
  let labels = 0
  /** Counts the stored labels: a read during such a commit may not contain them. */
  let changes = 0

  const drop = (session: string): void => {
    changes += 1
    labels -= sessions.get(session)?.added.length ?? 0
    sessions.delete(session)
  }
  const clear = (): void => {
    changes += 1
    labels = 0
    sessions.clear()
  }
  const know = (session: string, from: number): void => {
    drop(session)
    if (sessions.size >= MOST_SESSIONS) clear()
    sessions.set(session, { from, added: [] })
  }
  const add = (held: Stored<'labels'>): void => {
    const known = sessions.get(held.row.session)
    changes += 1
    if (known === undefined || held.cursor <= endOf(known)) return
    if (labels >= MOST_LABELS) return clear()
    if ((held.row.text?.length ?? 0) > MOST_TEXT) return drop(held.row.session)
    known.added.push(held)
    labels += 1
  }

  /** What is returned is forgotten: the session reads each label once. If that fails, it reads from the beginning, from the store. */
  const take = (known: Known, after: number, limit: number): readonly Stored<'labels'>[] => {
    const { added } = known
    const from = added.findIndex(({ cursor }) => cursor > after)
    const next = from === -1 ? NONE : added.slice(from, from + limit)
    known.added = from === -1 ? [] : added.slice(from + limit)
    known.from = next.at(-1)?.cursor ?? after
    labels -= added.length - known.added.length
    return next
  }

  return {
    isLast(session, cursor) {
      const known = sessions.get(session)
      return known !== undefined && endOf(known) === cursor
    },
    async list<Label extends Stored<Table>>(
      where: { readonly session?: unknown },
      { after, limit, newest_first }: Page,
      read: () => Promise<readonly Label[]>,
    ) {
      const session = Object.keys(where).length === 1 && typeof where.session === 'string' ? where.session : undefined
      if (session === undefined || after === undefined || newest_first === true) return read()
      const known = sessions.get(session)
      if (known !== undefined && after >= known.from) {
        const next: readonly Stored<Table>[] = take(known, after, limit)
        // What `read` reads are labels.
        return next as readonly Label[]
      }
      const before = changes
      const found = await read()
      if (found.length < limit && before === changes) know(session, found.at(-1)?.cursor ?? after)
      return found
    },
    stored(stored, cursors) {
      for (const change of stored) {
        if (change.kind !== 'swap' || change.table !== 'labels') continue
        const cursor = change.from === 'absent' ? cursors?.next().value : undefined
        if (typeof cursor === 'number') add({ version: 1, row: change.to, cursor })
        else drop(change.to.session)
      }
    },
    forget(lost) {
      for (const change of lost) if (change.kind === 'swap' && change.table === 'labels') drop(change.to.session)
    },
    clear,
  }
}

const NONE: readonly Stored<'labels'>[] = []

const endOf = ({ from, added }: Known): number => added.at(-1)?.cursor ?? from
