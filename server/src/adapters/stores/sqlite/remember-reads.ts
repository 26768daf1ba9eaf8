import type { Change, Ledger, Table } from '../../../kernel/ports/ledger.ts'
import type { Stored, Tables } from '../../../kernel/ports/reads.ts'
import type { BloomFilter } from './bloom-filter.ts'
import type { LastLabels } from './last-labels.ts'

/** Tables that every call reads and that change only when people change something. */
const QUIET: ReadonlySet<Table> = new Set(['credentials', 'pauses', 'consents', 'sessions'])
/** Cached answers per table. One more, and the table's cache is cleared. */
const MOST = 1_000

/** For tables that every call writes: the identities that may be stored there. Most calls are new, so the lookup is skipped. */
export type Identities = { readonly [T in Table]?: BloomFilter }

/** `rows`: the rows among the answers. */
export type CachedReads = {
  readonly answers: Map<Table, Map<string, Promise<unknown>>>
  readonly rows: Map<Table, Map<string, { readonly held: Stored<Table> | undefined }>>
}
export const cachedReads = (): CachedReads => ({ answers: new Map(), rows: new Map() })

/**
 * Wraps a store: caches reads of rarely changed tables, and skips lookups of rows that cannot exist.
 * INVARIANT: only for the single writing process. A read sees every commit that has returned, because a commit clears the cache of
 * the tables it touched before it returns, whatever its outcome (law in remember-reads.test.ts).
 */
export function rememberReads<Store extends Ledger & Pick<Tables, 'row' | 'list'>>(
  store: Store,
  labels: LastLabels,
  identities: Identities = {},
  { answers: kept, rows } = cachedReads(),
): Store & Required<Pick<Tables, 'known_rows'>> {
  function remembered<T>(table: Table, question: string, ask: () => Promise<T>): Promise<T> {
    const answers = kept.get(table) ?? new Map<string, Promise<unknown>>()
    const known = answers.get(question)
    // The key names the table and everything the answer depends on, so a cached answer has the right type.
    if (known !== undefined) return known as Promise<T>
    const answer = ask()
    if (answers.size >= MOST) answers.clear()
    kept.set(table, answers.set(question, answer))
    // A failed read is not cached.
    answer.catch(() => answers.delete(question))
    return answer
  }

  /** Expected rows are cleared too: if an expectation failed, a stale cached row would make it fail again on every retry. */
  function forget(changes: readonly Change[], isLost: boolean): void {
    for (const change of changes)
      if (change.kind === 'swap' || (isLost && change.kind === 'expect')) {
        kept.delete(change.table)
        rows.delete(change.table)
      }
  }

  /** A row that was read stays cached until the answer is cleared; a commit may have done that while it was read. */
  function rememberedRow<T extends Table>(table: T, id: string): Promise<Stored<T> | undefined> {
    const answer = remembered(table, `row ${id}`, () => store.row(table, id))
    const read = async () => {
      const held = await answer
      if (kept.get(table)?.get(`row ${id}`) !== answer) return
      const known = rows.get(table) ?? new Map<string, { readonly held: Stored<Table> | undefined }>()
      if (known.size >= MOST) known.clear()
      rows.set(table, known.set(id, { held }))
    }
    read().catch(() => undefined)
    return answer
  }

  /** Noted before they are written: a row that turns out not to be stored only costs a lookup. */
  function noteIdentities(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind !== 'swap' || !('identity' in change.to)) continue
      if (typeof change.to.identity === 'string') identities[change.table]?.note(change.to.identity)
    }
  }

  function isSurelyAbsent(table: Table, where: { readonly identity?: unknown }): boolean {
    return typeof where.identity === 'string' && identities[table]?.has(where.identity) === false
  }

  return {
    ...store,
    known_rows: {
      // The row was read from the requested table.
      row: <T extends Table>(table: T, id: string) =>
        rows.get(table)?.get(id) as { readonly held: Stored<T> | undefined } | undefined,
      isAbsent: isSurelyAbsent,
      isLastLabel: labels.isLast,
    },
    commit(changes) {
      noteIdentities(changes)
      return store.commit(changes).then(
        (committed) => {
          forget(changes, committed !== 'committed')
          // The writer reports the labels of stored commits itself.
          if (committed !== 'committed') labels.forget(changes)
          return committed
        },
        (error: unknown) => {
          forget(changes, true)
          labels.forget(changes)
          throw error
        },
      )
    },
    row: (table, id) => (QUIET.has(table) ? rememberedRow(table, id) : store.row(table, id)),
    async list(table, where, page) {
      if (isSurelyAbsent(table, where)) return []
      if (table === 'labels') return labels.list(where, page, () => store.list(table, where, page))
      if (!QUIET.has(table)) return store.list(table, where, page)
      return remembered(table, `list ${JSON.stringify([where, page])}`, () => store.list(table, where, page))
    },
  }
}
