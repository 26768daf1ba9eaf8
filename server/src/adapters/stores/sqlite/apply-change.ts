import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Bug } from '../../../kernel/contract/problems.ts'
import type { AuditTail } from './audit-tail.ts'
import type { OnceKeys } from './once-keys.ts'
import type { OtherChange, PackedChange } from './packed-commit.ts'
import type { RowMacs } from '../row-mac.ts'
import { rowWriter, type RowWriter } from './row-writer.ts'

/** Applies one change inside a transaction. False if its expectation does not hold; then it has written nothing. */
export type ApplyChange = (change: PackedChange) => boolean
export type ChangeApplier = Pick<RowWriter, 'forgetVersions' | 'cursors'> & { readonly apply: ApplyChange }

export function changeApplier(
  db: DatabaseSync,
  tail: AuditTail,
  onces: Pick<OnceKeys, 'take'>,
  macs: RowMacs,
): ChangeApplier {
  const rows = rowWriter(db, macs)
  const open = db.prepare(
    'INSERT INTO accounts (id, units, until, mac) VALUES (?1, ?2, ?3, account_mac(?1, ?2, ?3)) ON CONFLICT DO NOTHING',
  )
  // An account that somebody else wrote is never used for a new balance.
  const spend = db.prepare(
    `UPDATE accounts SET units = units - ?2, mac = account_mac(id, units - ?2, until)
      WHERE id = ?1 AND units >= ?2 + ?3 AND mac IS account_mac(id, units, until)`,
  )
  const event = db.prepare(
    `INSERT INTO events (run, seq, body, mac) SELECT ?1, next, ?2, event_mac(?1, next, ?2)
      FROM (SELECT coalesce(max(seq), 0) + 1 AS next FROM events WHERE run = ?1)`,
  )
  const later = db.prepare('SELECT 1 FROM events WHERE run = ? AND seq > ? LIMIT 1')
  const wake = db.prepare('INSERT INTO wakes (run, at) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const forget = db.prepare('DELETE FROM events WHERE run = ? AND seq <= ?')
  const rest = db.prepare('DELETE FROM wakes WHERE run = ?')

  const applyOther = (change: OtherChange): boolean => {
    switch (change.kind) {
      case 'once':
        return onces.take(word(change.key), number(change.until))
      case 'open':
        return changed(open, word(change.account), units(change.units, 0), time(change.until))
      case 'spend':
        return changed(
          spend,
          word(change.account),
          units(change.units, Number.MIN_SAFE_INTEGER),
          units(change.least ?? 0, 0),
        )
      case 'event':
        return changed(event, word(change.run), eventText(change.event))
      case 'wake':
        // "Now" has no time: 0 is due at any time.
        wake.run(word(change.run), change.at === undefined ? 0 : number(change.at))
        return true
      case 'forget':
        forget.run(word(change.run), number(change.through))
        return true
      case 'rest':
        if (later.get(word(change.run), number(change.cursor)) !== undefined) return false
        rest.run(change.run)
        if (change.next !== undefined) wake.run(change.run, number(change.next))
        return true
      default:
        throw new Bug(`there is no change \`${JSON.stringify(change satisfies never)}\``)
    }
  }

  const apply: ApplyChange = (change) => {
    switch (change[0]) {
      case 'insert': {
        const [, table, id, row, ...listed] = change
        return rows.insert(table, word(id), row, listed)
      }
      case 'whole':
      case 'difference': {
        const [as, table, id, from, text, fields, ...listed] = change
        return rows.update(as, table, word(id), number(from), text, fields, listed)
      }
      case 'expect':
        return rows.expect(change)
      case 'audit':
        tail.append({ before: change[1], after: change[2] })
        return true
      case 'sync_later':
        return true
      case 'other':
        return applyOther(JSON.parse(change[1]) as OtherChange)
      default:
        throw new Bug('there is no such packed change', { cause: change satisfies never })
    }
  }
  return { apply, forgetVersions: rows.forgetVersions, cursors: rows.cursors }
}

function changed(statement: StatementSync, ...values: (string | number | bigint | null)[]): boolean {
  return statement.run(...values).changes === 1
}

/** One of our own keys. SQLite would store every lone surrogate as U+FFFD, and different keys would collide. */
function word(value: string): string {
  if (typeof value !== 'string' || !value.isWellFormed()) throw new Bug('a key must be well-formed text')
  return value
}

/** JSON has no NaN and no infinity: they arrive as null. */
function number(value: number): number {
  if (typeof value !== 'number') throw new Bug('a version, a position or a time must be a finite number')
  return value
}

const time = (value: number | undefined): number | null => (value === undefined ? null : number(value))

/** As a big integer, because a double would round a large account's units. */
function units(value: number, least: number): bigint {
  if (!Number.isSafeInteger(value) || value < least)
    throw new Bug('units are whole numbers, an account opens with 0 or more')
  return BigInt(value)
}

function eventText(value: object): string {
  if (typeof value !== 'object' || value === null) throw new Bug('an event is an object')
  return JSON.stringify(value)
}
