import type { DatabaseSync } from 'node:sqlite'
import { tableColumns } from '../listed.ts'
import { COPIED_KEYS, NO_KEYS, withKey } from '../once-sum.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'
import type { Copied, StoredRecord } from '../stored-record.ts'
import { STREAM_LENGTH } from './streams.ts'

/** Fills a new, migrated ledger, all or nothing. Artifacts are files and not part of it. */
export async function fillLedger(
  db: DatabaseSync,
  macs: RowMacs,
  records: AsyncIterable<StoredRecord>,
  onArtifact: (record: Extract<StoredRecord, { is: 'artifact' }>) => void,
): Promise<Copied> {
  const copied = { row: 0, once: 0, account: 0, event: 0, wake: 0, entry: 0, head: 0, artifact: 0 }
  const streams = new Map<string, number>()
  const startOf = (stream: string): number => {
    const known = streams.get(stream)
    if (known !== undefined) return known
    const { lastInsertRowid } = db.prepare('INSERT INTO streams (stream) VALUES (?)').run(stream)
    const start = (Number(lastInsertRowid) - 1) * STREAM_LENGTH
    streams.set(stream, start)
    return start
  }
  let keys = NO_KEYS
  db.exec('BEGIN IMMEDIATE')
  try {
    for await (const record of records) {
      copied[record.is] += 1
      if (record.is === 'once') keys = withKey(keys, macs.once(record.key, record.until).term)
      if (record.is === 'artifact') onArtifact(record)
      else put(db, macs, record, startOf)
    }
    const { masked, mac } = macs.sealSum(COPIED_KEYS, keys)
    db.prepare('INSERT INTO once_sums (stream, n, masked, mac) VALUES (?, ?, ?, ?)').run(
      COPIED_KEYS,
      keys.n,
      masked,
      mac,
    )
    db.exec('COMMIT')
    return copied
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

function put(
  db: DatabaseSync,
  macs: RowMacs,
  record: Exclude<StoredRecord, { is: 'artifact' }>,
  startOf: (stream: string) => number,
): void {
  switch (record.is) {
    case 'row': {
      const { table, id, version, text } = record
      const row = JSON.parse(text) as Record<string, unknown>
      const columns = tableColumns(table)
      const mac = hasMac(table) ? [macs.row(table, id, version, text, null)] : []
      const names = ['id', 'version', 'body', ...(hasMac(table) ? ['mac'] : []), ...columns.map(({ field }) => field)]
      const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
      db.prepare(sql).run(id, version, text, ...mac, ...columns.map(({ raw, stored }) => stored(raw(row))))
      return
    }
    case 'once':
      db.prepare('INSERT INTO once (key, until, mac) VALUES (?, ?, ?)').run(
        record.key,
        record.until,
        macs.once(record.key, record.until).mac,
      )
      return
    case 'account': {
      const { id, units, until } = record
      const sql = 'INSERT INTO accounts (id, units, until, mac) VALUES (?, ?, ?, ?)'
      db.prepare(sql).run(id, units, until, macs.account(id, units, until))
      return
    }
    case 'event': {
      const { run, seq, text } = record
      const sql = 'INSERT INTO events (run, seq, body, mac) VALUES (?, ?, ?, ?)'
      db.prepare(sql).run(run, seq, text, macs.event(run, seq, text))
      return
    }
    case 'wake':
      db.prepare('INSERT INTO wakes (run, at) VALUES (?, ?)').run(record.run, record.at)
      return
    case 'entry': {
      const { stream, seq, hash, text } = record
      db.prepare('INSERT INTO audit (place, hash, body) VALUES (?, ?, ?)').run(startOf(stream) + seq, hash, text)
      return
    }
    case 'head': {
      const { stream, seq, hash } = record
      const sql = 'INSERT INTO heads (stream, seq, hash, mac) VALUES (?, ?, ?, ?)'
      db.prepare(sql).run(stream, seq, hash, macs.head(stream, seq, hash))
      return
    }
    default:
      record satisfies never
  }
}
