import type { Stored, Searches, SearchTable, SearchWhere } from '../../kernel/ports/reads.ts'

const AT_ONCE = 200

/** The newest rows, about `most` of them, in small pages: `pause` lets other work run between two pages. */
export async function newestRows<T extends SearchTable>(
  searches: Searches,
  table: T,
  where: SearchWhere | undefined,
  most: number,
  pause: () => Promise<void> | undefined,
): Promise<Stored<T>[]> {
  const rows: Stored<T>[] = []
  if (where === undefined) return rows
  let after: number | undefined
  do {
    const page = { limit: AT_ONCE, newest_first: true, ...(after === undefined ? {} : { after }) }
    const found = await searches.search(table, where, page)
    rows.push(...found.items)
    after = found.next
    await pause()
  } while (after !== undefined && rows.length < most)
  return rows
}
