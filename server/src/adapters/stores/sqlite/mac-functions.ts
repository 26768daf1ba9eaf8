import type { DatabaseSync } from 'node:sqlite'
import type { Table } from '../../../kernel/ports/ledger.ts'
import { TABLES_WITH_MACS, type RowMacs } from '../row-mac.ts'

/** The MACs as SQL functions, for statements that depend on what is stored. Only the writer has them. */
export function defineMacFunctions(db: DatabaseSync, macs: RowMacs): void {
  db.function('row_mac', (table, id, version, body, later) =>
    macs.row(String(table) as Table, String(id), Number(version), String(body), later === null ? null : String(later)),
  )
  db.function('event_mac', (run, seq, body) => macs.event(String(run), Number(seq), String(body)))
  db.function('head_mac', (stream, seq, hash) => macs.head(String(stream), Number(seq), String(hash)))
  db.function('once_mac', (key, until) => macs.once(String(key), Number(until)).mac)
  db.function('account_mac', { useBigIntArguments: true }, (id, units, until) =>
    macs.account(String(id), units as bigint, until === null ? null : Number(until)),
  )
}

/** Gives every row its MAC: once, when the rows of an earlier release get their first, or after the key was lost. */
export function sealRows(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    for (const table of TABLES_WITH_MACS)
      db.exec(`UPDATE ${table} SET mac = row_mac('${table}', id, version, body, later)`)
    db.exec('UPDATE events SET mac = event_mac(run, seq, body)')
    db.exec('UPDATE accounts SET mac = account_mac(id, units, until)')
    db.exec(SEAL_HEADS)
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

const SEAL_HEADS = 'UPDATE heads SET mac = head_mac(stream, seq, hash)'

/** The same for the heads of the audit: once, when a ledger of an earlier release is opened. */
export const sealHeads = (db: DatabaseSync): void => db.exec(SEAL_HEADS)
