import type { Table } from '../../kernel/ports/ledger.ts'

/** One stored thing, independent of the engine. Rows are in the order of their cursors, entries in the order of their numbers. */
export type StoredRecord =
  | { readonly is: 'row'; readonly table: Table; readonly id: string; readonly version: number; readonly text: string }
  | { readonly is: 'once'; readonly key: string; readonly until: number }
  | { readonly is: 'account'; readonly id: string; readonly units: bigint; readonly until: number | null }
  | { readonly is: 'event'; readonly run: string; readonly seq: number; readonly text: string }
  | { readonly is: 'wake'; readonly run: string; readonly at: number }
  | {
      readonly is: 'entry'
      readonly stream: string
      readonly seq: number
      readonly hash: string
      readonly text: string
    }
  | { readonly is: 'head'; readonly stream: string; readonly seq: number; readonly hash: string }
  | {
      readonly is: 'artifact'
      readonly shelf: string
      readonly digest: string
      readonly body: Buffer | null
      readonly stored_at: number
    }

/** How many of each were copied. */
export type Copied = Readonly<Record<StoredRecord['is'], number>>
