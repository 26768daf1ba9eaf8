import type { AuditReads, Tables } from '../ports/reads.ts'

const PAGE = 500
/** So many of the newest entries of each stream are compared. */
const MOST = 100_000
const OF_CALLS = new Set(['call.started', 'call.held'])

export type MissingCall = { readonly table: 'calls'; readonly id: string }

/**
 * Tells of calls that the audit holds and the calls' table does not, or that their idempotency key no longer leads to. Whoever
 * deletes such a row, or empties the column it is found by, wants a key to be taken for unused, so that a repeated request runs again.
 */
export async function tellMissingCalls(
  {
    audit,
    tables,
  }: { readonly audit: Pick<AuditReads, 'entries' | 'heads'>; readonly tables: Pick<Tables, 'row' | 'list'> },
  tell: (call: MissingCall) => void,
): Promise<void> {
  for (const { stream, seq } of await audit.heads()) {
    for (let from = Math.max(1, seq - MOST + 1); from <= seq; from += PAGE) {
      for (const { type, subject } of await audit.entries(stream, from, PAGE)) {
        const id = OF_CALLS.has(type) ? subject['call'] : undefined
        if (id !== undefined && !(await isFound(tables, id))) tell({ table: 'calls', id })
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
