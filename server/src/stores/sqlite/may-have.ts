import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../commands/ports.ts'

/** Says of a value whether a row may have it. INVARIANT: never `false` for one that some row has (law in remember-reads.test.ts). */
export type MayHave = { has(value: string): boolean; note(value: string): void }

/** Two megabytes: a million values, of which one in fifty is looked up in vain. */
const BITS = 2 ** 24
const MARKS = 4
const PAGE = 2_000

/**
 * A Bloom filter over one listed field of a table. What stands there already is read in the background, page by page from the
 * field's index alone; until that is done anything may be there. Whoever writes notes what it is about to write.
 */
export function mayHave(db: DatabaseSync, table: Table, field: string): MayHave {
  const bits = new Uint8Array(BITS / 8)
  let isComplete = false

  function note(value: string): void {
    for (const bit of bitsOf(value)) bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7))
  }

  const value = `json_extract(body, '$.${field}')`
  const page = db.prepare(`SELECT ${value} AS value FROM ${table} WHERE ${value} > ? ORDER BY ${value} LIMIT ${PAGE}`)
  function readAfter(last: string): void {
    // A store that was closed meanwhile, or cannot be read: everything stays possible.
    if (!db.isOpen) return
    try {
      const found = page.all(last) as { value: string }[]
      for (const { value } of found) note(value)
      const end = found.at(-1)
      if (end === undefined) isComplete = true
      else setImmediate(readAfter, end.value)
    } catch {
      isComplete = false
    }
  }
  setImmediate(readAfter, '')

  return {
    note,
    has: (value) =>
      !isComplete || !isPlain(value) || bitsOf(value).every((bit) => ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0),
  }
}

/** The engine reads the index from the empty text on, and stores half characters as others. */
const isPlain = (value: string): boolean => value !== '' && value.isWellFormed()

/** Places that depend on nothing but the value: two hashes (FNV-1a and the like), combined. */
function bitsOf(value: string): number[] {
  let one = 0x811c9dc5
  let other = 0x9747b28c
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13)
  }
  return Array.from({ length: MARKS }, (_, mark) => (one + Math.imul(mark, other | 1)) & (BITS - 1))
}
