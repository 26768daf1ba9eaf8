import type { Change, Ledger, Shelves, Table } from '../../commands/ports.ts'

/** Tables that every call asks and that people change, now and then. */
const QUIET: ReadonlySet<Table> = new Set(['credentials', 'pauses', 'consents'])
/** Answers kept per table; one more and they are all asked for again. */
const MOST = 1_000

/**
 * The same store, which remembers what it was asked about quiet tables.
 * INVARIANT: only for the one process that writes. A read sees every commit that has returned, because a commit forgets what
 * was said of the tables it touched before it returns, whatever became of it (law in remember-reads.test.ts).
 */
export function rememberReads<Store extends Ledger & Pick<Shelves, 'row' | 'list'>>(store: Store): Store {
  const kept = new Map<Table, Map<string, Promise<unknown>>>()

  function remembered<T>(table: Table, question: string, ask: () => Promise<T>): Promise<T> {
    const answers = kept.get(table) ?? new Map<string, Promise<unknown>>()
    const known = answers.get(question)
    // The question names the table and all it depends on, so its answer has the type of whoever asks it again.
    if (known !== undefined) return known as Promise<T>
    const answer = ask()
    if (answers.size >= MOST) answers.clear()
    kept.set(table, answers.set(question, answer))
    // What could not be read is asked again.
    answer.catch(() => answers.delete(question))
    return answer
  }

  function forget(changes: readonly Change[]): void {
    for (const change of changes) if (change.kind === 'swap') kept.delete(change.table)
  }

  return {
    ...store,
    async commit(changes) {
      try {
        return await store.commit(changes)
      } finally {
        forget(changes)
      }
    },
    row: (table, id) =>
      QUIET.has(table) ? remembered(table, `row ${id}`, () => store.row(table, id)) : store.row(table, id),
    list: (table, where, page) =>
      QUIET.has(table)
        ? remembered(table, `list ${JSON.stringify([where, page])}`, () => store.list(table, where, page))
        : store.list(table, where, page),
  }
}
