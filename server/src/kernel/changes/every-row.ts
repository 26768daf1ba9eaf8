import { letOthersRun } from '../audit/verify-audit-reads.ts'
import type { Table } from '../ports/ledger.ts'
import type { Stored, Tables, Where } from '../ports/reads.ts'

const ROWS_AT_ONCE = 32

/** Every such row of a table in order, a page at a time; other work runs between pages. */
export async function* everyRow<T extends Table>(
  tables: Pick<Tables, 'list'>,
  table: T,
  where: Where<T> = {},
): AsyncGenerator<Stored<T>> {
  let after: number | undefined
  for (;;) {
    await letOthersRun()
    const page = await tables.list(table, where, { limit: ROWS_AT_ONCE, ...(after === undefined ? {} : { after }) })
    yield* page
    after = page.at(-1)?.cursor
    if (page.length < ROWS_AT_ONCE) return
  }
}
