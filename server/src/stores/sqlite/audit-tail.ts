import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { emptyHead, linkEntry, type EntryParts, type Head } from '../../core/audit/chain.ts'
import { startOfStream } from './streams.ts'

/** The end of one stream's chain, while a transaction holds the write lock. */
export type AuditTail = {
  append(parts: EntryParts): void
  /** Where the chain ends now, to come back to when a commit is undone. */
  mark(): Head | undefined
  back(mark: Head | undefined): void
  /** Write the head down, before COMMIT. */
  save(): void
  /** Forget it: after the transaction another process may append. */
  drop(): void
}

const sha256 = (text: string) => hash('sha256', text)

export function auditTail(db: DatabaseSync, stream: string): AuditTail {
  const read = db.prepare('SELECT seq, hash FROM heads WHERE stream = ?')
  const insert = db.prepare('INSERT INTO audit (place, hash, body) VALUES (?, ?, ?)')
  const write = db.prepare('INSERT OR REPLACE INTO heads (stream, seq, hash) VALUES (?, ?, ?)')
  const start = startOf(db, stream)
  let head: Head | undefined
  let stored: Head | undefined

  const load = (): Head => {
    const row = read.get(stream) as { seq: number; hash: string } | undefined
    return row === undefined ? emptyHead(stream) : { stream, seq: row.seq, hash: row.hash }
  }

  return {
    append(parts) {
      // INVARIANT: read inside the transaction, because other processes append to the same stream.
      head ??= stored = load()
      const linked = linkEntry(head, parts, sha256)
      head = linked.head
      insert.run(start + head.seq, head.hash, linked.text)
    },
    mark: () => head,
    back(mark) {
      head = mark
    },
    save() {
      if (head !== undefined && head !== stored) write.run(stream, head.seq, head.hash)
    },
    drop() {
      head = stored = undefined
    },
  }
}

/** A stream gets its number when it is opened for the first time, and keeps it. */
function startOf(db: DatabaseSync, stream: string): number {
  const prepare = (sql: string) => db.prepare(sql)
  const known = startOfStream(prepare, stream)
  if (known !== undefined) return known
  // Of processes that open it together one numbers it.
  db.prepare('INSERT INTO streams (stream) VALUES (?) ON CONFLICT DO NOTHING').run(stream)
  return startOf(db, stream)
}
