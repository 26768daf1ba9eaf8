import type { DatabaseSync } from 'node:sqlite'
import type { Settled } from '../../commands/ports/ledger.ts'
import type { GroupOutcome } from './apply-group.ts'

/** A commit of the batch that is not stored: its place in the batch, and the change it lost with, or null where nothing was lost. */
type Exception = readonly [place: number, lost: number | null]

/** Notes inside a transaction how far its batch comes with it, so that it can be asked about when the answer is lost. */
export type NoteBatch = (batch: number, outcomes: readonly (GroupOutcome | 'unavailable')[], now: number) => void

export function batchNoter(db: DatabaseSync, writer: string): NoteBatch {
  const write = db.prepare(
    `INSERT INTO writers (id, batch, done, exceptions, at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (id) DO UPDATE SET batch = ?2, done = ?3, exceptions = ?4, at = ?5`,
  )
  return (batch, outcomes, now) => {
    const exceptions = outcomes.flatMap((outcome, place): Exception[] => {
      if (outcome === 'committed') return []
      return [[place, typeof outcome === 'object' && 'lost' in outcome ? outcome.lost : null]]
    })
    write.run(writer, batch, outcomes.length, JSON.stringify(exceptions), Math.trunc(now))
  }
}

/**
 * What became of each commit of the writer's last batch.
 * INVARIANT: it writes, and answers only when that is durable. Where COMMIT failed, its frames may still stand in the log, and a
 * crash could bring them back; this transaction takes their place, so what it does not see is gone for good.
 */
export function readLastBatch(
  db: DatabaseSync,
  writer: string,
  asked: { readonly batch: number; readonly count: number },
  now: number,
): Settled[] {
  db.exec('BEGIN IMMEDIATE')
  try {
    const row = db.prepare('SELECT batch, done, exceptions FROM writers WHERE id = ?').get(writer)
    db.prepare(
      `INSERT INTO writers (id, batch, done, exceptions, at) VALUES (?1, 0, 0, '[]', ?2)
       ON CONFLICT (id) DO UPDATE SET at = ?2`,
    ).run(writer, Math.trunc(now))
    db.exec('COMMIT')
    const done = row?.['batch'] === asked.batch ? Number(row['done']) : 0
    const exceptions = new Map(JSON.parse(String(row?.['exceptions'] ?? '[]')) as Exception[])
    return Array.from({ length: asked.count }, (_, place): Settled => {
      if (place >= done) return 'unavailable'
      const lost = exceptions.get(place)
      if (lost === undefined) return 'committed'
      return lost === null ? 'unavailable' : { lost }
    })
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}
