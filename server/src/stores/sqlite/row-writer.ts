import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Bug } from '../../contract/problems.ts'
import { LISTED_BY, type Table, type Version } from '../../commands/ports/ledger.ts'
import { columnsOf, type Listed } from '../listed.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'

/** Rows of every table. Each write returns whether its expectation held. */
export type RowWriter = {
  insert(table: Table, id: string, row: string, listed: readonly Listed[]): boolean
  /** `fields`: the columns that get the listed values, separated by commas. */
  update(
    as: 'whole' | 'difference',
    table: Table,
    id: string,
    from: Version,
    text: string,
    fields: string,
    listed: readonly Listed[],
  ): boolean
  version(table: Table, id: string): Version | 'absent'
  /** At the start of a transaction, and when a part of one is undone: what `version` has read so far may be wrong then. */
  forgetVersions(): void
}

export function rowWriter(db: DatabaseSync, macs: RowMacs): RowWriter {
  const tables = Object.keys(LISTED_BY) as Table[]
  const inserts = new Map(tables.map((table) => [table, db.prepare(insertInto(table))]))
  const versions = new Map(tables.map((table) => [table, db.prepare(`SELECT version FROM ${table} WHERE id = ?`)]))
  const updates = new Map<string, StatementSync>()
  // Nearly every commit of a group expects the same few rows, and inside a transaction nobody else writes.
  const seen = new Map<string, Version | 'absent'>()

  const updateOf = (as: 'whole' | 'difference', table: Table, fields: string): StatementSync => {
    const name = `${as} ${table} ${fields}`
    const found = updates.get(name) ?? db.prepare(update(as, table, fields))
    updates.set(name, found)
    return found
  }

  return {
    insert(table, id, row, listed) {
      seen.delete(`${table} ${id}`)
      const mac = hasMac(table) ? [macs.row(table, id, 1, row, null)] : []
      return of(inserts, table).run(id, row, ...mac, ...listed).changes === 1
    },
    update(as, table, id, from, text, fields, listed) {
      seen.delete(`${table} ${id}`)
      const mac = as === 'whole' && hasMac(table) ? [macs.row(table, id, from + 1, text, null)] : []
      return updateOf(as, table, fields).run(text, ...mac, ...listed, id, from).changes === 1
    },
    version(table, id) {
      const known = seen.get(`${table} ${id}`)
      if (known !== undefined) return known
      const held = of(versions, table).get(id) as { version: number } | undefined
      const version = held?.version ?? 'absent'
      seen.set(`${table} ${id}`, version)
      return version
    },
    forgetVersions: () => seen.clear(),
  }
}

function of(statements: ReadonlyMap<Table, StatementSync>, table: Table): StatementSync {
  const found = statements.get(table)
  if (found === undefined) throw new Bug(`there is no table \`${table}\``)
  return found
}

function insertInto(table: Table): string {
  const columns = ['id', 'version', 'body', ...(hasMac(table) ? ['mac'] : []), ...columnsOf(table)]
  const values = columns.map((column) => (column === 'version' ? '1' : '?'))
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')}) ON CONFLICT (id) DO NOTHING`
}

function update(as: 'whole' | 'difference', table: Table, fields: string): string {
  const known = columnsOf(table)
  const named = fields === '' ? [] : fields.split(',')
  if (!named.every((field) => known.includes(field))) throw new Bug(`\`${table}\` is not listed by \`${fields}\``)
  const { set, where } = as === 'whole' ? wholeRow(table) : difference(table)
  const sets = [set, ...named.map((field) => `${field} = ?`)].join(', ')
  return `UPDATE ${table} SET version = version + 1, ${sets} WHERE id = ? AND version = ?${where}`
}

const wholeRow = (table: Table) => ({ set: `body = ?, later = NULL${hasMac(table) ? ', mac = ?' : ''}`, where: '' })

/** INVARIANT: a difference is added only to a first version that is stored as this gate wrote it. */
const difference = (table: Table) => ({
  set: `later = ?1, mac = row_mac('${table}', id, version + 1, body, ?1)`,
  where: ` AND mac IS row_mac('${table}', id, version, body, later)`,
})
