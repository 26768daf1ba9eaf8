import type { Table } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'

/** Rows that could let something happen: those of small tables, and of the large ones those that have not ended. */
const LOOKED_AT: readonly (readonly [Table, object])[] = [
  ...(
    [
      'credentials',
      'logins',
      'passphrases',
      'passkeys',
      'pauses',
      'consents',
      'flow_consents',
      'servers',
      'tools',
    ] as const
  ).map((table) => [table, {}] as const),
  ...(['pending', 'executing', 'unknown'] as const).map((state) => ['calls', { state }] as const),
  ...(['pending', 'approved'] as const).map((state) => ['approvals', { state }] as const),
  ...(['active', 'waiting', 'faulted'] as const).map((status) => ['runs', { status }] as const),
]

const PAGE = 500

/** Reads every row that could let something happen, so that the store tells of those that it did not write. */
export async function lookAtRows({ list }: Pick<Tables, 'list'>): Promise<void> {
  for (const [table, where] of LOOKED_AT) {
    for (let after: number | undefined; ;) {
      const page = { limit: PAGE, ...(after === undefined ? {} : { after }) }
      // A table that cannot be read because of one forged row was told of with it.
      const rows = await list(table, where, page).catch(() => [])
      if (rows.length < PAGE) break
      after = rows.at(-1)?.cursor
    }
  }
}
