import type { DatabaseSync } from 'node:sqlite'
import type { CommitResult } from '../../../kernel/ports/ledger.ts'
import { exceptionsText, batchResults, type GroupResult } from '../batch-link.ts'

/** Notes inside a transaction how far its batch gets, so that its outcome can be asked for if the answer is lost. */
export type NoteBatch = (batch: number, outcomes: readonly GroupResult[], now: number) => void

export function batchNoter(db: DatabaseSync, writer: string): NoteBatch {
  const write = db.prepare(
    `INSERT INTO writers (id, batch, done, exceptions, at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (id) DO UPDATE SET batch = ?2, done = ?3, exceptions = ?4, at = ?5`,
  )
  return (batch, outcomes, now) => {
    write.run(writer, batch, outcomes.length, exceptionsText(outcomes), Math.trunc(now))
  }
}

/**
 * The outcome of each commit of the writer's last batch.
 * INVARIANT: it writes, and answers only when that is durable. If COMMIT failed, its frames may still be in the log, and a crash
 * could bring them back; this transaction replaces them, so what it does not see is permanently gone.
 */
export function readLastBatch(
  db: DatabaseSync,
  writer: string,
  asked: { readonly batch: number; readonly count: number },
  now: number,
): CommitResult[] {
  db.exec('BEGIN IMMEDIATE')
  try {
    const row = db.prepare('SELECT batch, done, exceptions FROM writers WHERE id = ?').get(writer)
    db.prepare(
      `INSERT INTO writers (id, batch, done, exceptions, at) VALUES (?1, 0, 0, '[]', ?2)
       ON CONFLICT (id) DO UPDATE SET at = ?2`,
    ).run(writer, Math.trunc(now))
    db.exec('COMMIT')
    const done = row?.['batch'] === asked.batch ? Number(row['done']) : 0
    return batchResults(asked.count, done, String(row?.['exceptions'] ?? '[]'))
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}
