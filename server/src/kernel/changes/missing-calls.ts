import type { AuditReads, Tables } from '../ports/reads.ts'

const PAGE = 500
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
