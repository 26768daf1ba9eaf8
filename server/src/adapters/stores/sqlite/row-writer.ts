import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Bug } from '../../../kernel/contract/problems.ts'
import type { Table, Version } from '../../../kernel/ports/ledger.ts'
import { columnsOf, TABLES, type ListedValue } from '../listed.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'
import type { Expected } from './packed-commit.ts'

/** Rows of every table. Each write returns whether its expectation held. */
export type RowWriter = {
  insert(table: Table, id: string, row: string, listed: readonly ListedValue[]): boolean
  /** `fields`: the columns that get the listed values, separated by commas. */
  update(
    as: 'whole' | 'difference',
    table: Table,
    id: string,
    from: Version,
    text: string,
    fields: string,
    listed: readonly ListedValue[],
  ): boolean
  /** Writes nothing. */
  expect(expected: Expected): boolean
  /** At the start of a transaction, and when a part of one is undone: the versions that were read so far may be wrong then. */
  forgetVersions(): void
  /** Of the labels that were inserted: whoever begins or undoes a transaction shortens the list. */
  readonly cursors: number[]
}

export function rowWriter(db: DatabaseSync, macs: RowMacs): RowWriter {
  const inserts = new Map(TABLES.map((table) => [table, db.prepare(insertInto(table))]))
  const versions = new Map(TABLES.map((table) => [table, db.prepare(`SELECT version FROM ${table} WHERE id = ?`)]))
  const updates = new Map<string, StatementSync>()
  // Nearly every commit of a group expects the same few rows, often as the same objects, and inside a transaction nobody else
  // writes.
  const held = new Set<Expected>()
  const seen = new Map<string, Version | 'absent'>()
  const expectedTables = new Set<Table>()
  const first = firstVersions()
  const cursors: number[] = []
  let lastLabel = Number(db.prepare(`SELECT ${LAST_LABEL} AS pos`).get()?.['pos'])

  const version = (table: Table, id: string): Version | 'absent' => {
    const name = `${table} ${id}`
    const known = seen.get(name)
    if (known !== undefined) return known
    const found = of(versions, table).get(id) as { version: number } | undefined
    const read = found?.version ?? 'absent'
    expectedTables.add(table)
    seen.set(name, read)
    return read
  }
  const forget = (table: Table, id: string): void => {
    if (!expectedTables.has(table)) return
    held.clear()
    seen.delete(`${table} ${id}`)
  }

  const updateOf = (as: As, table: Table, fields: string): StatementSync => {
    const name = `${as} ${table} ${fields}`
    const found = updates.get(name) ?? db.prepare(update(as, table, fields))
    updates.set(name, found)
    return found
  }

  return {
    insert(table, id, row, listed) {
      forget(table, id)
      const mac = hasMac(table) ? macs.row(table, id, 1, row, null) : undefined
      const after = table === 'labels' ? [lastLabel] : []
      const result = of(inserts, table).run(...after, id, row, ...(mac === undefined ? [] : [mac]), ...listed)
      if (result.changes !== 1) return false
      if (table === 'labels') {
        lastLabel = Number(result.lastInsertRowid)
        cursors.push(lastLabel)
      }
      if (mac !== undefined) first.note(table, id, row, mac)
      return true
    },
    update(as, table, id, from, text, fields, listed) {
      forget(table, id)
      const known = as === 'difference' && from === 1 ? first.take(table, id) : undefined
      if (known !== undefined) {
        const mac = macs.row(table, id, 2, known.body, text)
        const { changes } = updateOf('known', table, fields).run(text, mac, ...listed, id, from, known.mac, known.body)
        if (changes === 1) return true
      }
      const mac = as === 'whole' && hasMac(table) ? [macs.row(table, id, from + 1, text, null)] : []
      return updateOf(as, table, fields).run(text, ...mac, ...listed, id, from).changes === 1
    },
    expect(expected) {
      if (held.has(expected)) return true
      const [, table, id, wanted] = expected
      if (!id.isWellFormed()) throw new Bug('a key must be well-formed text')
      if (version(table, id) !== wanted) return false
      held.add(expected)
      return true
    },
    forgetVersions() {
      held.clear()
      seen.clear()
      expectedTables.clear()
    },
    cursors,
  }
}

function of(statements: ReadonlyMap<Table, StatementSync>, table: Table): StatementSync {
  const found = statements.get(table)
  if (found === undefined) throw new Bug(`there is no table \`${table}\``)
  return found
}

const LAST_LABEL = 'ifnull((SELECT max(pos) FROM labels), 0)'

/**
 * INVARIANT: a label comes after all that this thread has seen, even if the newest was deleted by hand. SQLite itself would use its
 * position again, and a session that has read up to there would miss the new label.
 */
const VALUES: Readonly<Record<string, string>> = { version: '1', pos: `max(?, ${LAST_LABEL}) + 1` }

function insertInto(table: Table): string {
  const pos = table === 'labels' ? ['pos'] : []
  const columns = [...pos, 'id', 'version', 'body', ...(hasMac(table) ? ['mac'] : []), ...columnsOf(table)]
  const values = columns.map((column) => VALUES[column] ?? '?')
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')}) ON CONFLICT (id) DO NOTHING`
}

function update(as: As, table: Table, fields: string): string {
  const known = columnsOf(table)
  const named = fields === '' ? [] : fields.split(',')
  if (!named.every((field) => known.includes(field))) throw new Bug(`\`${table}\` is not listed by \`${fields}\``)
  const { set, where } = UPDATES[as](table)
  const sets = [set, ...named.map((field) => `${field} = ?`)].join(', ')
  return `UPDATE ${table} SET version = version + 1, ${sets} WHERE id = ? AND version = ?${where}`
}

/**
 * `known`: a difference to a first version that this thread has inserted itself.
 * INVARIANT: a difference is added only to a first version that is stored as this gate wrote it.
 */
type As = 'whole' | 'difference' | 'known'
const UPDATES: { readonly [as in As]: (table: Table) => { readonly set: string; readonly where: string } } = {
  whole: (table) => ({ set: `body = ?, later = NULL${hasMac(table) ? ', mac = ?' : ''}`, where: '' }),
  difference: (table) => ({
    set: `later = ?1, mac = row_mac('${table}', id, version + 1, body, ?1)`,
    where: ` AND mac IS row_mac('${table}', id, version, body, later)`,
  }),
  known: () => ({ set: 'later = ?, mac = ?', where: ' AND later IS NULL AND mac IS ? AND body IS ?' }),
}

/** A row as this thread inserted it. */
type Inserted = { readonly id: string; readonly body: string; readonly mac: Uint8Array }

/** Ids end in random hexadecimal digits. */
const DIGITS = 3
const SLOTS = 1_024
/** Characters. */
const MOST_TEXT = 8_192

/**
 * Calls that were inserted a moment ago. Nearly every call is updated once, soon after, and SQLite can compare the stored row with
 * what is remembered here much faster than a MAC of it can be computed. Each id has one slot, which a later call may take over.
 * What is remembered may not be stored, if its transaction was undone.
 */
function firstVersions() {
  const slots: (Inserted | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
  return {
    note(table: Table, id: string, body: string, mac: Uint8Array): void {
      if (table === 'calls' && body.length <= MOST_TEXT) slots[slotOf(id)] = { id, body, mac }
    },
    /** It is forgotten then, because the update replaces it. */
    take(table: Table, id: string): Inserted | undefined {
      const slot = slotOf(id)
      const found = slots[slot]
      if (table !== 'calls' || found?.id !== id) return undefined
      slots[slot] = undefined
      return found
    },
  }
}

const slotOf = (id: string): number => (Number.parseInt(id.slice(-DIGITS), 16) || 0) % SLOTS
