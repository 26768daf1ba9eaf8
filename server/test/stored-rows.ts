import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Change, Rows, Table } from '../src/kernel/ports/ledger.ts'

/** Every field of a row, also of those that only some of its forms have. */
type FieldsOf<Row> = Row extends unknown ? Extract<keyof Row, string> : never
/**
 * `erased`: may contain what a person or their agent wrote. `kept`: ids, names, hashes, times, states, verdicts, definitions, and what
 * docs/operate/backup-and-upgrade.md lists as not removed.
 */
export type Fates<T extends Table> = { readonly [F in FieldsOf<Rows[T]>]-?: 'kept' | 'erased' }

/** What a restore does with the rows of a table. */
export type AfterRestore = 'ended' | 'listed' | 'grants nothing'

/** A row that a text of ana is planted in, with this value in each field that the erasure has to empty. */
export type PlantedRow = { readonly table: Table; readonly id: string; readonly row: object }
export type Planting = {
  /** The callers that the user `ana` acts as. */
  readonly agent: string
  readonly approver: string
  readonly text: string
}

/** What the tests of all tables have to know about one table. */
export type StoredRows<T extends Table = Table> = {
  readonly table: T
  /** A new field does not compile until it is here; if it is `erased`, a text is planted in it. */
  readonly fates: Fates<T>
  /** Rows in which every field that is `erased` has a text. */
  readonly planted?: (planting: Planting) => readonly Omit<PlantedRow, 'table'>[]
  readonly afterRestore: AfterRestore
  /** A row that something could be carried on from, and whether one still is. */
  readonly open?: {
    readonly add: () => Change
    readonly isOpen: (row: Rows[T]) => boolean
    /** A restore counts it among the consents. */
    readonly isConsent?: true
  }
}

type Words<Text extends string> = Text extends `${infer First} ${infer More}` ? First | Words<More> : Text
type Fated<Kept extends string, Erased extends string> = { readonly [F in Words<Kept>]: 'kept' } & {
  readonly [F in Words<Erased>]: 'erased'
}
const words = (text: string) => text.split(' ').filter((word) => word !== '')
export function fates<Kept extends string, Erased extends string = ''>(
  keeps: readonly Kept[],
  erases?: Erased,
): Fated<Kept, Erased> {
  return {
    ...Object.fromEntries(keeps.flatMap(words).map((field) => [field, 'kept'])),
    ...Object.fromEntries(words(erases ?? '').map((field) => [field, 'erased'])),
  } as Fated<Kept, Erased>
}

const guests = resolve(import.meta.dirname, '../src/guests')

/** Of the tables of guests: each guest with tables says it in `test/stored-rows.suite.ts`. */
export const ROWS_OF_GUESTS: readonly StoredRows[] = (
  await Promise.all(
    globSync('*/test/stored-rows.suite.ts', { cwd: guests }).map(
      async (path) => ((await import(resolve(guests, path))) as { STORED_ROWS: readonly StoredRows[] }).STORED_ROWS,
    ),
  )
).flat()
