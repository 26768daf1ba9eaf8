import type { Table } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Guards } from './minimum-versions.ts'

/** Of large tables, the rows that have not ended. */
const OPEN: readonly (readonly [Table, object])[] = [
  ...(['pending', 'executing', 'unknown'] as const).map((state) => ['calls', { state }] as const),
  ...(['pending', 'approved'] as const).map((state) => ['approvals', { state }] as const),
  ...(['active', 'waiting', 'faulted'] as const).map((status) => ['runs', { status }] as const),
]

const PAGE = 500

/** Reads every row that could cause an action, so that the store reports those that it did not write. */
export async function checkStoredRows({ list }: Pick<Tables, 'list'>, guards: Guards): Promise<void> {
  const small = [...guards.keys(), 'tools' as const].map((table) => [table, {}] as const)
  for (const [table, where] of [...small, ...OPEN]) {
    for (let after: number | undefined; ;) {
      const page = { limit: PAGE, ...(after === undefined ? {} : { after }) }
      // If one forged row makes a table unreadable, that row was already reported.
      const rows = await list(table, where, page).catch(() => [])
      if (rows.length < PAGE) break
      after = rows.at(-1)?.cursor
    }
  }
}
