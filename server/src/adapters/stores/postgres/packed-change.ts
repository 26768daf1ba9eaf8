import type { Change, Swap, Table, Version } from '../../../kernel/ports/ledger.ts'
import { Bug } from '../../../kernel/contract/problems.ts'
import { entryParts, type EntryParts } from '../../../kernel/audit/chain.ts'
import { columnsOf, rawColumn, type ListedValue } from '../listed.ts'
import { pgColumn, pgText } from './pg-text.ts'

/** A row as sent to the database. */
export type PackedRow = { readonly text: string; readonly columns: Readonly<Record<string, ListedValue>> }

/** A validated change, with texts as they will be stored. Absent rows have version 0. */
export type PackedChange =
  | {
      readonly kind: 'swap'
      readonly table: Table
      readonly id: string
      readonly from: Version
      readonly row: PackedRow
    }
  | { readonly kind: 'expect'; readonly table: Table; readonly id: string; readonly version: Version }
  | { readonly kind: 'once'; readonly key: string; readonly until: number }
  | { readonly kind: 'open'; readonly account: string; readonly units: bigint; readonly until: number | null }
  | { readonly kind: 'spend'; readonly account: string; readonly units: bigint; readonly least: bigint }
  | { readonly kind: 'event'; readonly run: string; readonly text: string }
  | { readonly kind: 'wake'; readonly run: string; readonly at: number }
  | { readonly kind: 'rest'; readonly run: string; readonly cursor: number; readonly next?: number | undefined }
  | { readonly kind: 'forget'; readonly run: string; readonly through: number }
  | { readonly kind: 'audit'; readonly parts: EntryParts }
  /** Ignored unless `repeated`: until its flush a commit exists only in the server's memory, and a crash of the server loses it. */
  | { readonly kind: 'sync_later'; readonly repeated?: true }
/** `size`: about how many characters are sent. */
export type PackedCommit = { readonly changes: readonly PackedChange[]; readonly size: number }

/** Throws a Bug for an impossible change, before anything of its commit is sent. */
export function packCommit(changes: readonly Change[]): PackedCommit {
  try {
    const packed = changes.map(packOne)
    return { changes: packed, size: packed.reduce((sum, change) => sum + sizeOf(change), 0) }
  } catch (cause) {
    throw cause instanceof Bug ? cause : new Bug('a change must be plain JSON', { cause })
  }
}

function packOne(change: Change): PackedChange {
  switch (change.kind) {
    case 'swap':
      return packSwap(change)
    case 'expect':
      columnsOf(change.table)
      return { kind: 'expect', table: change.table, id: word(change.id), version: versionOf(change.version) }
    case 'once':
      return { kind: 'once', key: word(change.key), until: number(change.until) }
    case 'open':
      return {
        kind: 'open',
        account: word(change.account),
        units: units(change.units, 0),
        until: change.until === undefined ? null : number(change.until),
      }
    case 'spend':
      return {
        kind: 'spend',
        account: word(change.account),
        units: units(change.units, Number.MIN_SAFE_INTEGER),
        least: units(change.least ?? 0, 0),
      }
    case 'event':
      return { kind: 'event', run: word(change.run), text: objectText(change.event) }
    case 'wake':
      // "Now" has no time: 0 is due at any time.
      return { kind: 'wake', run: word(change.run), at: change.at === undefined ? 0 : number(change.at) }
    case 'rest':
      return {
        kind: 'rest',
        run: word(change.run),
        cursor: number(change.cursor),
        ...(change.next === undefined ? {} : { next: number(change.next) }),
      }
    case 'forget':
      return { kind: 'forget', run: word(change.run), through: number(change.through) }
    case 'audit':
      return { kind: 'audit', parts: entryParts(change.entry) }
    case 'sync_later':
      return change
    default:
      throw new Bug(`there is no change \`${JSON.stringify(change satisfies never)}\``)
  }
}

function packSwap({ table, id, from, to }: Swap): PackedChange {
  const fields = columnsOf(table)
  const text = objectText(to)
  const row = to as Readonly<Record<string, unknown>>
  const columns = Object.fromEntries(fields.map((field) => [field, pgColumn(field, rawColumn(table, field, row))]))
  return { kind: 'swap', table, id: word(id), from: versionOf(from), row: { text, columns } }
}

function sizeOf(change: PackedChange): number {
  if (change.kind === 'swap') return change.row.text.length + 500
  if (change.kind === 'audit') return change.parts.before.length + change.parts.after.length + 300
  return change.kind === 'event' ? change.text.length + 200 : 200
}

function versionOf(version: Version | 'absent'): Version {
  if (version === 'absent') return 0
  if (!Number.isSafeInteger(version)) throw new Bug('a version is a whole number')
  // No row is stored with a version below 1: a commit that expects one loses.
  return version < 1 ? -1 : version
}

/** One of our own keys. A lone surrogate cannot come from outside. */
function word(value: string): string {
  if (typeof value !== 'string' || !value.isWellFormed()) throw new Bug('a key must be well-formed text')
  return pgText(value)
}

function number(value: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new Bug('a version, a position or a time must be a finite number')
  return value
}

/** As a big integer, because a double would round a large account's units. */
function units(value: number, least: number): bigint {
  if (!Number.isSafeInteger(value) || value < least)
    throw new Bug('units are whole numbers, an account opens with 0 or more')
  return BigInt(value)
}

function objectText(value: object): string {
  if (typeof value !== 'object' || value === null) throw new Bug('a row or an event is an object')
  return JSON.stringify(value)
}
