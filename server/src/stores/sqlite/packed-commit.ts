import type { Change, Swap, Table, Version } from '../../commands/ports.ts'
import { Bug } from '../../contract/problems.ts'

/** A row on its way to the thread that writes is already the text that will be stored. */
export type PackedChange =
  | Exclude<Change, Swap>
  | { readonly kind: 'swap'; readonly table: Table; readonly id: string; readonly from: Version | 'absent' }

/**
 * Texts are cheaper to hand over than objects: first the JSON of the changes, where swaps leave out their rows, then the
 * rows in the same order. The other thread neither reads nor writes them again.
 */
export type PackedCommit = readonly [changes: string, ...rows: string[]]

export function packCommit(changes: readonly Change[]): PackedCommit {
  const rows: string[] = []
  const packed = changes.map((change): PackedChange => {
    if (change.kind !== 'swap') return change
    const { to, ...rest } = change
    rows.push(rowText(to))
    return rest
  })
  return [jsonOf(packed), ...rows]
}

function rowText(row: object): string {
  if (typeof row !== 'object' || row === null) throw new Bug('a row is an object')
  return jsonOf(row)
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new Bug('a change must be plain JSON', { cause })
  }
}
