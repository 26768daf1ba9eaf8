import type { Change, Table, Version } from '../../commands/ports/ledger.ts'
import { isEndedCall } from '../listed.ts'
import type { PackedChange, PackedCommit } from './packed-commit.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The row at this version, if this process wrote it and still remembers it. */
export type RowAt = (table: Table, id: string, version: Version) => Fields | undefined

export type WrittenRows = {
  readonly rowAt: RowAt
  /** Only for a commit that is known to be stored. */
  note(changes: readonly Change[], packed: PackedCommit): void
}

type Written = { readonly version: Version; readonly row: Fields; readonly size: number }

/** Characters of JSON, over all remembered rows. */
const MOST = 8_388_608

/**
 * The calls that have not ended, as this process last stored them: nearly every call is written twice within moments, and a
 * writer that knows the first version stores what changed instead of the whole row. Bounded; the oldest is dropped first.
 * INVARIANT: a version is written once, by one commit. So a remembered version is the stored one, whoever else writes.
 */
export function writtenRows(most = MOST): WrittenRows {
  const calls = new Map<string, Written>()
  let total = 0

  const forget = (id: string): void => {
    total -= calls.get(id)?.size ?? 0
    calls.delete(id)
  }

  const remember = (id: string, written: Written): void => {
    forget(id)
    calls.set(id, written)
    total += written.size
    for (const oldest of calls.keys()) {
      if (total <= most) return
      forget(oldest)
    }
  }

  return {
    rowAt(table, id, version) {
      const written = table === 'calls' ? calls.get(id) : undefined
      return written?.version === version ? written.row : undefined
    },
    note(changes, packed) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== 'swap' || change.table !== 'calls') continue
        const { id, from, to } = change
        const before = calls.get(id)?.size ?? 0
        if (isEndedCall(to)) forget(id)
        else
          remember(id, {
            version: from === 'absent' ? 1 : from + 1,
            row: to,
            size: sizeOf(packed[index], before),
          })
      }
    },
  }
}

function sizeOf(packed: PackedChange | undefined, before: number): number {
  if (packed?.[0] === 'insert') return packed[3].length
  if (packed?.[0] === 'whole') return packed[4].length
  return packed?.[0] === 'difference' ? before + packed[4].length : 0
}
