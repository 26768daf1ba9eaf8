import type { Change, Table, Version } from '../../../kernel/ports/ledger.ts'
import { isEndedCall } from '../listed.ts'
import type { PackedChange, PackedCommit } from './packed-commit.ts'

export type RowFields = Readonly<Record<string, unknown>>

/** The row at this version, if this process wrote it and still remembers it. */
export type RowAt = (table: Table, id: string, version: Version) => RowFields | undefined

export type WrittenRows = {
  readonly rowAt: RowAt
  /** Only for a commit that is known to be stored. */
  note(changes: readonly Change[], packed: PackedCommit): void
}

type Written = { readonly id: string; readonly version: Version; readonly row: RowFields; readonly size: number }

/** Characters of JSON, over all remembered rows. */
const MOST = 8_388_608
/** Ids end in random hexadecimal digits. */
const DIGITS = 3
const SLOTS = 16 ** DIGITS

/**
 * The calls that have not ended, as this process last stored them: nearly every call is written twice within moments, and a
 * writer that knows the first version stores what changed instead of the whole row. Each id has one slot, which a later call may
 * take over: a table that grows and shrinks with every call would keep the collector busy.
 * INVARIANT: a version is written once, by one commit. So a remembered version is the stored one, whoever else writes.
 */
export function writtenRows(most = MOST): WrittenRows {
  const slots: (Written | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
  let total = 0

  const put = (slot: number, written: Written | undefined): void => {
    total += (written?.size ?? 0) - (slots[slot]?.size ?? 0)
    slots[slot] = written
  }

  return {
    rowAt(table, id, version) {
      const written = table === 'calls' ? slots[slotOf(id)] : undefined
      return written?.id === id && written.version === version ? written.row : undefined
    },
    note(changes, packed) {
      for (let index = 0; index < changes.length; index += 1) {
        const change = changes[index]
        if (change?.kind !== 'swap' || change.table !== 'calls') continue
        const { id, from, to } = change
        const slot = slotOf(id)
        const before = slots[slot]?.id === id ? (slots[slot]?.size ?? 0) : 0
        const size = sizeOf(packed[index], before)
        const isKept = !isEndedCall(to) && total - (slots[slot]?.size ?? 0) + size <= most
        if (isKept) put(slot, { id, version: from === 'absent' ? 1 : from + 1, row: to, size })
        // A slot that another call has taken over stays as it is.
        else if (slots[slot]?.id === id) put(slot, undefined)
      }
    },
  }
}

const slotOf = (id: string): number => (Number.parseInt(id.slice(-DIGITS), 16) || 0) % SLOTS

function sizeOf(packed: PackedChange | undefined, before: number): number {
  if (packed?.[0] === 'insert') return packed[3].length
  if (packed?.[0] === 'whole') return packed[4].length
  return packed?.[0] === 'difference' ? before + packed[4].length : 0
}
