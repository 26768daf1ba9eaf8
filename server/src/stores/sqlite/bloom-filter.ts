import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../commands/ports/ledger.ts'
import { textKey } from '../text-key.ts'

/**
 * Says whether a row may have a value.
 * INVARIANT: never `false` for a value that some row has (law in remember-reads.test.ts).
 */
export type BloomFilter = { has(value: string): boolean; note(value: string): void }

/** Two megabytes: a million values, with a false positive rate of one in fifty. */
const BITS = 2 ** 24
const MARKS = 4
const PAGE = 2_000

/**
 * A Bloom filter over one keyed field of a table. Existing values are read in the background, page by page from the field's index
 * alone; until that is done every value is possible. Writers note what they are about to write.
 */
export function bloomFilter(db: DatabaseSync, table: Table, field: string): BloomFilter {
  const bits = new Uint8Array(BITS / 8)
  let isComplete = false

  function note(key: number): void {
    for (let mark = 0; mark < MARKS; mark += 1) {
      const bit = bitOf(key, mark)
      bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7))
    }
  }

  function isNoted(key: number): boolean {
    for (let mark = 0; mark < MARKS; mark += 1) {
      const bit = bitOf(key, mark)
      if (((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
    }
    return true
  }

  const page = db.prepare(`SELECT ${field} AS key FROM ${table} WHERE ${field} > ? ORDER BY ${field} LIMIT ${PAGE}`)
  function readAfter(last: number): void {
    // A store that was closed in the meantime, or cannot be read: everything stays possible.
    if (!db.isOpen) return
    try {
      const found = page.all(last) as { key: number }[]
      for (const { key } of found) note(key)
      const end = found.at(-1)
      if (end === undefined) isComplete = true
      else setImmediate(readAfter, end.key)
    } catch {
      isComplete = false
    }
  }
  setImmediate(readAfter, -1)

  return {
    note: (value) => note(textKey(value)),
    has: (value) => !isComplete || isNoted(textKey(value)),
  }
}

/** A place that depends on nothing but the key and the number of the mark. */
function bitOf(key: number, mark: number): number {
  const one = key | 0
  const other = Math.imul(one ^ (key / 2 ** 32), 0x9e3779b1) >>> 7
  return (one + Math.imul(mark, other | 1)) & (BITS - 1)
}
