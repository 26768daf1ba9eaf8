import type { Change, Swap, Table, Version } from '../../../kernel/ports/ledger.ts'
import { Bug } from '../../../kernel/contract/problems.ts'
import { entryParts } from '../../../kernel/audit/chain.ts'
import { listedFields, tableColumns, type ListedValue } from '../listed.ts'
import type { RowFields, RowAt } from './written-rows.ts'

/**
 * A change as it is sent to the writer thread. A row is already the text that will be stored, next to the values of its listed
 * fields, so the writer thread does not parse the JSON of rows and audit entries. Lists of strings are cheaper to transfer than
 * objects.
 */
export type PackedChange =
  | readonly ['insert', table: Table, id: string, row: string, ...listed: ListedValue[]]
  /** `fields`: the names of the columns whose values follow, separated by commas. */
  | readonly ['whole' | 'difference', Table, id: string, from: Version, text: string, fields: string, ...ListedValue[]]
  | readonly ['audit', before: string, after: string]
  | Expected
  | readonly ['other', json: string]
  | readonly ['sync_later']
export type Expected = readonly ['expect', table: Table, id: string, version: Version | 'absent']
type Update = ['whole' | 'difference', Table, id: string, from: Version, text: string, fields: string, ...ListedValue[]]
type Insert = ['insert', table: Table, id: string, row: string, ...listed: ListedValue[]]
export type PackedCommit = readonly PackedChange[]

/** Changes that are sent as JSON. */
export type OtherChange = Exclude<Change, Swap | { kind: 'audit' | 'expect' | 'sync_later' }>

/** `rowAt`: rows whose stored value is known. Only the difference to it is stored. */
export function packCommit(changes: readonly Change[], rowAt: RowAt): PackedCommit {
  try {
    return changes.map((change) => packed(change, rowAt))
  } catch (cause) {
    throw cause instanceof Bug ? cause : new Bug('a change must be plain JSON', { cause })
  }
}

function packed(change: Change, rowAt: RowAt): PackedChange {
  if (change.kind === 'swap') return packSwap(change, rowAt)
  if (change.kind === 'expect') return packExpect(change)
  if (change.kind === 'sync_later') return SYNC_LATER
  if (change.kind !== 'audit') return ['other', JSON.stringify(change)]
  const { before, after } = entryParts(change.entry)
  return ['audit', before, after]
}

const SYNC_LATER: PackedChange = ['sync_later']

/** Calls of one caller to one tool expect the same rows, as the same objects. */
const packedExpects = new WeakMap<Change, PackedChange>()

function packExpect(change: Extract<Change, { kind: 'expect' }>): PackedChange {
  const known = packedExpects.get(change)
  if (known !== undefined) return known
  const expect: PackedChange = ['expect', change.table, change.id, change.version]
  packedExpects.set(change, expect)
  return expect
}

/** Whether its fsync may be deferred. Changes that were added after the mark must be durable immediately. */
export const isSyncedLater = (commit: PackedCommit): boolean => commit.at(-1)?.[0] === 'sync_later'

function packSwap({ table, id, from, to }: Swap, rowAt: RowAt): PackedChange {
  const columns = tableColumns(table)
  if (typeof to !== 'object' || to === null) throw new Bug('a row is an object')
  const next = to as RowFields
  if (from === 'absent') {
    const insert: Insert = ['insert', table, id, JSON.stringify(to)]
    for (const { raw, stored } of columns) insert.push(stored(raw(next)))
    return insert
  }
  if (!Number.isSafeInteger(from)) throw new Bug('a version is a whole number')
  const before = rowAt(table, id, from)
  const difference = before === undefined || from !== 1 ? undefined : differenceOf(before, next, listedFields(table))
  const update: Update =
    difference === undefined
      ? ['whole', table, id, from, JSON.stringify(to), '']
      : ['difference', table, id, from, JSON.stringify(difference), '']
  // SQLite rewrites the index of every column named in an UPDATE, even if its value is unchanged.
  let moved = ''
  for (const { field, source, raw, stored } of columns) {
    if (difference !== undefined && !Object.hasOwn(difference, source)) continue
    const value = raw(next)
    const old = before === undefined ? undefined : raw(before)
    if (value === old) continue
    const written = stored(value)
    if (old !== undefined && stored(old) === written) continue
    moved = moved === '' ? field : `${moved},${field}`
    update.push(written)
  }
  update[5] = moved
  return update
}

/**
 * The fields that are new or changed. INVARIANT: a first version is stored whole, so that it and one difference are the second.
 * INVARIANT: content that was removed or replaced does not stay in the file: a field that is gone, or has another value and is
 * neither listed nor a number, has the row stored whole (undefined).
 */
function differenceOf(before: RowFields, next: RowFields, listed: readonly string[]): RowFields | undefined {
  const fields = Object.keys(next)
  const values = Object.values(next)
  const oldFields = Object.keys(before)
  const oldValues = Object.values(before)
  const difference: Record<string, unknown> = {}
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    // Nearly always the next version has the same fields in the same order, and then some more. Looking them up by name takes longer.
    const old = field === oldFields[at] ? oldValues[at] : before[field]
    const value = values[at]
    if (value === old) continue
    const isReplaced = value !== undefined && (listed.includes(field) || typeof old === 'number')
    if (old !== undefined && !isReplaced) return undefined
    difference[field] = value
  }
  for (let at = 0; at < oldFields.length; at += 1) {
    const field = oldFields[at] ?? ''
    const isGone = field !== fields[at] && oldValues[at] !== undefined && next[field] === undefined
    if (isGone) return undefined
  }
  return difference
}
