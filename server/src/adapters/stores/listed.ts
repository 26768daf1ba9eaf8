import { Bug } from '../../kernel/contract/problems.ts'
import type { CallState } from '../../kernel/contract/call.ts'
import { SEARCHED_BY, type Table } from '../../kernel/ports/ledger.ts'
import { textKey } from './text-key.ts'

/**
 * The tables of both schemas, also of guests that this build may not have, with the fields by which their rows are listed. What the
 * kernel and the guests declare is compared with it (server/test/tables.test.ts).
 */
export const STORED_TABLES: Readonly<Record<string, readonly string[]>> = {
  calls: ['state', 'idempotency_key', 'identity', 'due', 'task_of', 'ended_day'],
  approvals: ['state', 'identity'],
  consents: ['shelf'],
  runs: ['status', 'kind', 'owner', 'thread', 'parent', 'waits_for', 'ended_day'],
  tools: ['server'],
  servers: [],
  pauses: [],
  credentials: ['key_hash'],
  checkpoints: [],
  passphrases: [],
  habits: [],
  sessions: [],
  labels: ['session', 'ended_day'],
  logins: ['user'],
  passkeys: ['user'],
  pushes: ['user'],
  flows: ['shelf', 'shelf_status', 'shelf_flow', 'shelf_flow_status'],
  flow_consents: ['of_run'],
  documents: ['part', 'name'],
  agent_values: ['agent'],
}
export const TABLES = Object.keys(STORED_TABLES) as readonly Table[]

/** A listed field as stored in its column: null if the row cannot be listed by it. */
export type ListedValue = string | number | null

/** Long texts: their column contains a number derived from them, and a listing compares the text as well. */
const KEYED: ReadonlySet<string> = new Set(['identity', 'session'])
export const isKeyed = (field: string): boolean => KEYED.has(field)

/** INVARIANT: names that become SQL are our own names. */
export function listedFields(table: Table): readonly string[] {
  const fields = Object.hasOwn(STORED_TABLES, table) ? STORED_TABLES[table] : undefined
  if (fields === undefined) throw new Bug(`there is no table \`${table}\``)
  return fields
}

const SEARCHED: { readonly [T in Table]?: readonly string[] } = SEARCHED_BY

/** Every column that a row has besides its text: those for listings, then those for searches. */
export function columnsOf(table: Table): readonly string[] {
  const known = COLUMNS.get(table)
  if (known !== undefined) return known
  const columns = [...listedFields(table), ...(SEARCHED[table] ?? [])]
  COLUMNS.set(table, columns)
  return columns
}
const COLUMNS = new Map<Table, readonly string[]>()

/** The unprocessed value of a column in this row; null if there is none. */
export function rawColumn(table: Table, field: string, row: Readonly<Record<string, unknown>>): ListedValue {
  return listedFields(table).includes(field) ? listedText(field, row) : searchedValue(field, row)
}

function listedText(field: string, row: Readonly<Record<string, unknown>>): string | null {
  const value = row[field]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Bug(`\`${field}\` is listed, so it must be text`)
  return value
}

/** The columns `caller` and `user` are parts of a row's caller. */
const sourceOf = (field: string): string => (field === 'user' ? 'caller' : field)

function searchedValue(field: string, row: Readonly<Record<string, unknown>>): ListedValue {
  const { caller } = row as { caller?: { readonly id?: unknown; readonly user?: unknown } }
  const value = field === 'caller' ? caller?.id : field === 'user' ? caller?.user : row[field]
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

/** One column of a table. */
export type Column = {
  readonly field: string
  /** The field of a row that it depends on. */
  readonly source: string
  /** The unprocessed value in this row. */
  raw(row: Readonly<Record<string, unknown>>): ListedValue
  /** What the embedded engine stores for it. */
  stored(raw: ListedValue): ListedValue
}

/** The columns of a table, for writing many rows: what depends on the table alone is determined once. */
export function tableColumns(table: Table): readonly Column[] {
  const known = TABLE_COLUMNS.get(table)
  if (known !== undefined) return known
  const listed = listedFields(table)
  const columns = columnsOf(table).map((field): Column =>
    listed.includes(field)
      ? { field, source: field, raw: (row) => listedText(field, row), stored: (raw) => storedText(table, field, raw) }
      : { field, source: sourceOf(field), raw: (row) => searchedValue(field, row), stored: (raw) => raw },
  )
  TABLE_COLUMNS.set(table, columns)
  return columns
}
const TABLE_COLUMNS = new Map<Table, readonly Column[]>()

function storedText(table: Table, field: string, value: ListedValue): ListedValue {
  if (typeof value !== 'string') return value
  if (isUnindexed(table, field, value)) return null
  return isKeyed(field) ? textKey(value) : value
}

/** The states of calls that nothing waits for. */
const ENDED: readonly string[] = ['executed', 'failed', 'refused', 'not_reported'] satisfies readonly CallState[]
export const isEndedCall = ({ state }: { readonly state: CallState }): boolean => ENDED.includes(state)

/**
 * Most rows are executed calls: their column is null, and no index contains them. Stored rows depend on this: another state needs
 * a migration.
 */
export function isUnindexed(table: Table, field: string, value: string): boolean {
  return table === 'calls' && field === 'state' && value === 'executed'
}
