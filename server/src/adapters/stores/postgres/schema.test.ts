import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import { columnsOf, TABLES } from '../listed.ts'
import { migrate as migrateSqlite } from '../sqlite/schema.ts'
import { connect } from './connect.ts'
import { FUNCTIONS } from './functions.ts'
import { MIGRATIONS, migrate } from './schema.ts'

/** What only the embedded engine has: differences of rows, and one number for an entry's place. */
const EMBEDDED_ALONE = new Set(['later', 'place'])

async function fresh() {
  const address = { url: await testDatabase(), schema: freshSchema() }
  return { address, client: await connect(address, 'test') }
}

describe.skipIf(!hasPostgres)('on a real Postgres', () => {
  test('every table and column of the embedded schema has a counterpart', async () => {
    const { address, client } = await fresh()
    expect(await migrate(client, address.schema, FUNCTIONS)).toMatchObject({ ok: true })
    const found = await client.query<{ table_name: string; column_name: string }>(
      'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1',
      [address.schema],
    )
    const ours = new Set(found.rows.map((row) => `${row.table_name}.${row.column_name}`))
    await client.end()

    const db = new DatabaseSync(':memory:')
    migrateSqlite(db)
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
    const embedded = tables.flatMap(({ name }) =>
      db
        .prepare(`SELECT name FROM pragma_table_info('${String(name)}')`)
        .all()
        .map((column) => [String(name), String(column['name'])] as const),
    )
    db.close()
    const missing = embedded.filter(([table, column]) => !EMBEDDED_ALONE.has(column) && !ours.has(`${table}.${column}`))
    expect(missing, 'add them as a migration in adapters/stores/postgres/schema.ts').toEqual([])
    for (const table of TABLES) for (const column of columnsOf(table)) expect(ours).toContain(`${table}.${column}`)
  })

  test('if several nodes start together one migrates, and the others find it done', async () => {
    const { address, client } = await fresh()
    const others = await Promise.all(Array.from({ length: 4 }, () => connect(address, 'test')))
    const all = await Promise.all([client, ...others].map((one) => migrate(one, address.schema, FUNCTIONS)))
    expect(all.every(({ ok }) => ok)).toBe(true)
    for (const one of [client, ...others]) await one.end()
  })

  test('a node of the previous release continues beside the next one, until a migration removes something', async () => {
    const { address, client } = await fresh()
    const next = [...MIGRATIONS, { sql: 'CREATE TABLE later_thing (id text)' }]
    expect(await migrate(client, address.schema, FUNCTIONS, next)).toMatchObject({ ok: true })
    expect(await migrate(client, address.schema, FUNCTIONS)).toMatchObject({ ok: true })
    const third = [...next, { sql: 'DROP TABLE later_thing', least: next.length }]
    expect(await migrate(client, address.schema, FUNCTIONS, third)).toMatchObject({ ok: true })
    const about = { found: String(third.length), known: String(MIGRATIONS.length) }
    expect(await migrate(client, address.schema, FUNCTIONS)).toMatchObject({
      ok: false,
      problem: { code: 'ledger.newer', about },
    })
    await client.end()
  })

  test("somebody else's tables are not touched", async () => {
    const { address, client } = await fresh()
    await client.query(`CREATE SCHEMA ${address.schema}; CREATE TABLE ${address.schema}.things (id text)`)
    expect(await migrate(client, address.schema, FUNCTIONS)).toMatchObject({
      ok: false,
      problem: { code: 'ledger.foreign' },
    })
    await client.end()
  })
})
