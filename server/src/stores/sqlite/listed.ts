import { Bug } from '../../contract/problems.ts'
import type { CallState } from '../../contract/call.ts'
import { LISTED_BY, type Table } from '../../commands/ports/ledger.ts'
import { textKey } from './text-key.ts'

/** A listed field as it stands in its column: null where the row cannot be listed by it. */
export type Listed = string | number | null

/** Long texts: their column holds a number made of them, and a listing compares the text as well. */
const KEYED: ReadonlySet<string> = new Set(['identity', 'session'])
export const isKeyed = (field: string): boolean => KEYED.has(field)

/** INVARIANT: names that become SQL are names of ours. */
export function listedFields(table: Table): readonly string[] {
  if (!Object.hasOwn(LISTED_BY, table)) throw new Bug(`there is no table \`${table}\``)
  return LISTED_BY[table]
}

export function listedValue(table: Table, field: string, value: unknown): Listed {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Bug(`\`${field}\` is listed, so it must be text`)
  if (isUnindexed(table, field, value)) return null
  return isKeyed(field) ? textKey(value) : value
}

/** The states of calls that nothing waits for. Stored rows depend on this list: another one needs a migration. */
const UNINDEXED: readonly string[] = ['executed', 'failed', 'refused'] satisfies readonly CallState[]

/** Most rows are calls in these states, and they are hardly ever listed by them: their column is null, and no index holds them. */
export function isUnindexed(table: Table, field: string, value: string): boolean {
  return table === 'calls' && field === 'state' && UNINDEXED.includes(value)
}
