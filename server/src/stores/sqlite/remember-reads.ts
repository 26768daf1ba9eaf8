import type { Change, Ledger, Table } from '../../commands/ports/ledger.ts'
import type { Held, Page, Tables } from '../../commands/ports/reads.ts'
import type { BloomFilter } from './bloom-filter.ts'

/** Tables that every call asks and that people change, now and then. */
const QUIET: ReadonlySet<Table> = new Set(['credentials', 'pauses', 'consents', 'sessions'])
/** Answers kept per table; one more and they are all asked for again. */
const MOST = 1_000

/** Of tables that every call writes: which identities may stand there. Most calls are made for the first time. */
export type Identities = { readonly [T in Table]?: BloomFilter }

/**
 * The same store, which remembers what it was asked about quiet tables, and does not look for what cannot be there.
 * INVARIANT: only for the one process that writes. A read sees every commit that has returned, because a commit forgets what
 * was said of the tables it touched before it returns, whatever became of it (law in remember-reads.test.ts).
 */
export function rememberReads<Store extends Ledger & Pick<Tables, 'row' | 'list'>>(
  store: Store,
  identities: Identities = {},
): Store & Required<Pick<Tables, 'at_hand'>> {
  const kept = new Map<Table, Map<string, Promise<unknown>>>()
  /** Of the answers in `kept`, the rows that have been read. */
  const rows = new Map<Table, Map<string, { readonly held: Held<Table> | undefined }>>()
  const lastLabels = rememberLastLabels()

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

  /** What was expected is forgotten too: where the expectation did not hold, an answer given before would never let it hold. */
  function forget(changes: readonly Change[], isLost: boolean): void {
    for (const change of changes)
      if (change.kind === 'swap' || (isLost && change.kind === 'expect')) {
        kept.delete(change.table)
        rows.delete(change.table)
      }
  }

  /** A row that was read is at hand until the answer is forgotten, which a commit may have done while it was read. */
  function rememberedRow<T extends Table>(table: T, id: string): Promise<Held<T> | undefined> {
    const answer = remembered(table, `row ${id}`, () => store.row(table, id))
    const read = async () => {
      const held = await answer
      if (kept.get(table)?.get(`row ${id}`) !== answer) return
      const known = rows.get(table) ?? new Map<string, { readonly held: Held<Table> | undefined }>()
      if (known.size >= MOST) known.clear()
      rows.set(table, known.set(id, { held }))
    }
    read().catch(() => undefined)
    return answer
  }

  /** Before they are written: what may be there after all is only looked up. */
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
    at_hand: {
      // The table that was asked for is the one that the row was read from.
      row: <T extends Table>(table: T, id: string) =>
        rows.get(table)?.get(id) as { readonly held: Held<T> | undefined } | undefined,
      isAbsent: isSurelyAbsent,
      isLastLabel: lastLabels.is,
    },
    async commit(changes) {
      noteIdentities(changes)
      let isLost = true
      try {
        const committed = await store.commit(changes)
        isLost = committed !== 'committed'
        return committed
      } finally {
        forget(changes, isLost)
        lastLabels.forget(changes)
      }
    },
    row: (table, id) => (QUIET.has(table) ? rememberedRow(table, id) : store.row(table, id)),
    async list(table, where, page) {
      if (isSurelyAbsent(table, where)) return []
      if (table === 'labels') return lastLabels.note(where, page, () => store.list(table, where, page))
      if (!QUIET.has(table)) return store.list(table, where, page)
      return remembered(table, `list ${JSON.stringify([where, page])}`, () => store.list(table, where, page))
    },
  }
}

/** Where the labels of each session end, as far as that was read and nothing was added since. */
function rememberLastLabels() {
  const ends = new Map<string, number>()
  /** Counts the commits that hold labels: what was read while one returned may be without it. */
  let commits = 0
  return {
    is: (session: string, cursor: number): boolean => ends.get(session) === cursor,
    async note<H extends { readonly cursor: number }>(
      where: { readonly session?: unknown },
      { after, limit, newest_first }: Page,
      list: () => Promise<readonly H[]>,
    ): Promise<readonly H[]> {
      const before = commits
      const found = await list()
      const isEnd = after !== undefined && newest_first !== true && found.length < limit && before === commits
      if (isEnd && typeof where.session === 'string' && Object.keys(where).length === 1) {
        if (ends.size >= MOST) ends.clear()
        ends.set(where.session, found.at(-1)?.cursor ?? after)
      }
      return found
    },
    forget(changes: readonly Change[]): void {
      for (const change of changes) {
        if (change.kind !== 'swap' || change.table !== 'labels') continue
        commits += 1
        ends.delete(change.to.session)
      }
    },
  }
}
