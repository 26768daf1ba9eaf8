import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../../kernel/ports/ledger.ts'
import { textKey } from '../text-key.ts'

/**
 * Says whether a row may have a value.
 * INVARIANT: never `false` for a value that some row has (law in remember-reads.test.ts).
 */
export type BloomFilter = { has(value: string): boolean; note(value: string): void }

/** 16 KB for the first 8,000 values; each further part is four times as large, the last one two megabytes. */
const FIRST_BITS = 2 ** 17
const MOST_BITS = 2 ** 24
const BITS_PER_VALUE = 16
const MARKS = 4
const PAGE = 2_000

/**
 * A Bloom filter over one keyed field of a table. Existing values are read in the background, page by page from the field's index
 * alone; until that is done every value is possible. Writers note what they are about to write.
 */
export function bloomFilter(db: DatabaseSync, table: Table, field: string): BloomFilter {
  const parts: [Uint8Array, ...Uint8Array[]] = [new Uint8Array(FIRST_BITS / 8)]
  let last = parts[0]
  let room = FIRST_BITS / BITS_PER_VALUE
  let isComplete = false

  function note(key: number): void {
    if (isNoted(key)) return
    if (room === 0 && last.length * 8 < MOST_BITS) {
      last = new Uint8Array(Math.min(last.length * 4, MOST_BITS / 8))
      parts.push(last)
      room = (last.length * 8) / BITS_PER_VALUE
    }
    room = Math.max(room - 1, 0)
    for (let mark = 0; mark < MARKS; mark += 1) {
      const bit = bitOf(key, mark, last.length * 8)
      last[bit >> 3] = (last[bit >> 3] ?? 0) | (1 << (bit & 7))
    }
  }

  const isNoted = (key: number) => parts.some((part) => isNotedIn(part, key))

  const page = db.prepare(`SELECT ${field} AS key FROM ${table} WHERE ${field} > ? ORDER BY ${field} LIMIT ${PAGE}`)
  function readAfter(known: number): void {
    // A store that was closed in the meantime, or cannot be read: everything stays possible.
    if (!db.isOpen) return
    try {
      const found = page.all(known) as { key: number }[]
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

function isNotedIn(bits: Uint8Array, key: number): boolean {
  for (let mark = 0; mark < MARKS; mark += 1) {
    const bit = bitOf(key, mark, bits.length * 8)
    if (((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** A place that depends on nothing but the key, the number of the mark and the size, which is a power of two. */
function bitOf(key: number, mark: number, size: number): number {
  const one = key | 0
  const other = Math.imul(one ^ (key / 2 ** 32), 0x9e3779b1) >>> 7
  return (one + Math.imul(mark, other | 1)) & (size - 1)
}
