import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { emptyHead, linkEntry, type EntryParts, type Head } from '../../../kernel/audit/chain.ts'
import { divergence } from '../audit-divergence.ts'
import type { Divergence } from '../batch-link.ts'
import { isSameMac, type RowMacs } from '../row-mac.ts'
import { NUMBER_OF_STREAM, STREAM_LENGTH, startOfStream } from './streams.ts'

/** What the writing thread remembers of its stream, whatever happens to its connection. */
export type TailMemory = {
  /** Nobody else appends to the stream. */
  readonly alone: boolean
  last?: Head | undefined
  /** An entry that an earlier process is known to have stored. */
  readonly floor?: Head | undefined
  /** Whether a commit failed since with an unknown result. */
  inDoubt: boolean
  /** What was found changed, until it was reported. */
  diverged?: Divergence | undefined
}

/** The end of one stream's chain, while a transaction holds the write lock. */
export type AuditTail = {
  /**
   * Reads where the chain ends, and compares that with what is remembered. False if it is not the same chain. `isUntouched`: nobody
   * else has written since this connection last began.
   */
  begin(isUntouched: boolean): boolean
  append(parts: EntryParts): void
  /** Where the chain ends now, to return to when a commit is undone. */
  mark(): Head | undefined
  back(mark: Head | undefined): void
  /** Writes the head, before COMMIT. */
  save(): void
  /** After COMMIT. */
  committed(): void
  /** Drops it: after the transaction another process may append. */
  drop(): void
}

const sha256 = (text: string) => hash('sha256', text)

export function auditTail(
  db: DatabaseSync,
  stream: string,
  memory: TailMemory,
  macs: Pick<RowMacs, 'head'>,
): AuditTail {
  const read = db.prepare('SELECT seq, hash, mac FROM heads WHERE stream = ?')
  const insert = db.prepare('INSERT INTO audit (place, hash, body) VALUES (?, ?, ?)')
  const write = db.prepare('INSERT OR REPLACE INTO heads (stream, seq, hash, mac) VALUES (?, ?, ?, ?)')
  const newest = db.prepare('SELECT place, hash FROM audit WHERE place > ? AND place < ? ORDER BY place DESC LIMIT 1')
  const at = db.prepare('SELECT hash FROM audit WHERE place = ?')
  const numbered = db.prepare(NUMBER_OF_STREAM)
  const number = db.prepare('INSERT INTO streams (stream) VALUES (?) ON CONFLICT DO NOTHING')
  let start = 0
  let head: Head | undefined
  let stored: Head | undefined

  /** A stream gets its number when it is written for the first time, and keeps it. */
  const numberedStart = (): number => {
    const known = startOfStream(() => numbered, stream)
    if (known !== undefined) return known
    number.run(stream)
    return numberedStart()
  }
  const storedHead = (): Head & { readonly genuine: boolean } => {
    const row = read.get(stream) as { seq: number; hash: string; mac: unknown } | undefined
    if (row === undefined) return { ...emptyHead(stream), genuine: true }
    return { stream, seq: row.seq, hash: row.hash, genuine: isSameMac(row.mac, macs.head(stream, row.seq, row.hash)) }
  }
  const lastEntry = (): Head => {
    const row = newest.get(start, start + STREAM_LENGTH) as { place: number; hash: string } | undefined
    return row === undefined ? emptyHead(stream) : { stream, seq: row.place - start, hash: row.hash }
  }
  const hashAt = (seq: number): unknown => (seq === 0 ? emptyHead(stream).hash : at.get(start + seq)?.['hash'])

  return {
    begin(isUntouched) {
      // INVARIANT: read inside the transaction, because other processes append to the same stream.
      if (isUntouched && memory.alone && !memory.inDoubt) {
        head = stored = memory.last
        return true
      }
      const named = storedHead()
      stored = named
      start = numberedStart()
      const last = lastEntry()
      const found = divergence(memory, { named, last, hashAt, genuine: named.genuine })
      memory.diverged ??= found
      memory.last = last
      memory.inDoubt = false
      // The next entry follows what is there, even if it should be something else: nothing more may be lost.
      head = last
      return found === undefined
    },
    append(parts) {
      const linked = linkEntry(head ?? emptyHead(stream), parts, sha256)
      head = linked.head
      insert.run(start + head.seq, head.hash, linked.text)
    },
    mark: () => head,
    back(mark) {
      head = mark
    },
    save() {
      if (head === undefined || head.seq === 0) return
      if (head.seq !== stored?.seq || head.hash !== stored.hash)
        write.run(stream, head.seq, head.hash, macs.head(stream, head.seq, head.hash))
    },
    committed() {
      memory.last = head
      head = undefined
    },
    drop() {
      if (head !== undefined && head.seq !== memory.last?.seq) memory.inDoubt = true
      head = stored = undefined
    },
  }
}
