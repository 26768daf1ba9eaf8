import type { Change, Ledger, Table } from '../../server/src/kernel/ports/ledger.ts'
import type { Accounts, Stored, Tables } from '../../server/src/kernel/ports/reads.ts'

type MemoryRow = { version: number; row: object; readonly cursor: number; readonly id: string }

/** A ledger for one replayed run: the corridor's own commits, without a disk. It stores only what a decision reads. */
export function createMemoryStore(): {
  readonly ledger: Ledger
  readonly tables: Tables
  readonly accounts: Accounts
} {
  const tables = new Map<Table, Map<string, MemoryRow>>()
  const rowsOf = (table: Table): Map<string, MemoryRow> => {
    const found = tables.get(table) ?? new Map<string, MemoryRow>()
    tables.set(table, found)
    return found
  }
  let cursor = 0

  function isHeld(change: Change): boolean {
    if (change.kind === 'swap') return (rowsOf(change.table).get(change.id)?.version ?? 'absent') === change.from
    if (change.kind === 'expect') return (rowsOf(change.table).get(change.id)?.version ?? 'absent') === change.version
    return true
  }

  function apply(change: Change): void {
    if (change.kind !== 'swap') return
    const rows = rowsOf(change.table)
    const before = rows.get(change.id)
    if (before === undefined) {
      cursor += 1
      rows.set(change.id, { version: 1, row: change.to, cursor, id: change.id })
    } else {
      before.version += 1
      before.row = change.to
    }
  }

  const held = <T extends Table>({ version, row, cursor: at }: MemoryRow): Stored<T> =>
    ({ version, row, cursor: at }) as unknown as Stored<T>
  const matching = (table: Table, where: object): MemoryRow[] =>
    [...rowsOf(table).values()].filter(({ row }) =>
      Object.entries(where).every(([field, value]) => (row as Record<string, unknown>)[field] === value),
    )

  return {
    ledger: {
      async commit(changes) {
        const lost = changes.findIndex((change) => !isHeld(change))
        if (lost !== -1) return { lost }
        for (const change of changes) apply(change)
        return 'committed'
      },
    },
    tables: {
      async row(table, id) {
        const found = rowsOf(table).get(id)
        return found === undefined ? undefined : held(found)
      },
      async list(table, where, { limit, after = 0, newest_first = false }) {
        const found = matching(table, where)
        if (newest_first) found.reverse()
        return found
          .filter(({ cursor: at }) => newest_first || at > after)
          .slice(0, limit)
          .map((stored) => held(stored))
      },
      count: async (table, where) => matching(table, where).length,
    },
    accounts: { left: async () => undefined },
  }
}
