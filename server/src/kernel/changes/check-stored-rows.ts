import type { Table } from '../ports/ledger.ts'
import type { AuditReads, Tables } from '../ports/reads.ts'
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

/** How many of the newest entries of each stream are compared. */
const MOST = 100_000
const OF_CALLS = new Set(['call.started', 'call.held'])

export type MissingCall = { readonly table: 'calls'; readonly id: string }

/**
 * Reports calls that are in the audit but not in the calls table, or that are no longer found by their idempotency key. Somebody who
 * deletes such a row, or clears its key column, could make the gate run a repeated request again.
 */
export async function reportMissingCalls(
  {
    audit,
    tables,
  }: { readonly audit: Pick<AuditReads, 'entries' | 'heads'>; readonly tables: Pick<Tables, 'row' | 'list'> },
  report: (call: MissingCall) => void,
): Promise<void> {
  for (const { stream, seq } of await audit.heads()) {
    for (let from = Math.max(1, seq - MOST + 1); from <= seq; from += PAGE) {
      for (const { type, subject } of await audit.entries(stream, from, PAGE)) {
        const id = OF_CALLS.has(type) ? subject['call'] : undefined
        if (id !== undefined && !(await isFound(tables, id))) report({ table: 'calls', id })
      }
    }
  }
}

async function isFound(tables: Pick<Tables, 'row' | 'list'>, id: string): Promise<boolean> {
  const call = await tables.row('calls', id)
  if (call === undefined) return false
  const { idempotency_key } = call.row
  if (idempotency_key === undefined) return true
  const found = await tables.list('calls', { idempotency_key }, { limit: 1 })
  return found.some(({ row }) => row.call_id === id)
}
