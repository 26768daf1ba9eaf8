import type { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { rehashed } from '../../../kernel/audit/test/histories.suite.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import type { AuditEntry } from '../../../kernel/contract/audit.ts'
import { note } from '../ledger-fixtures.suite.ts'
import { joinBoots } from './boots.ts'
import { connect } from './connect.ts'
import { FUNCTIONS } from './functions.ts'
import { addressOf, openLedger } from './open-ledger.suite.ts'
import { migrate, MIGRATIONS } from './schema.ts'

/** The migrations of the last release without MACs of heads. */
const WITHOUT_HEAD_MACS = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ sql }) => sql.includes('ALTER TABLE heads ADD COLUMN mac')),
)

/** A schema with three entries that no checkpoint has signed, and no running gate. */
async function written(): Promise<string> {
  const address = `${await testDatabase()} ${freshSchema()}`
  const ledger = await openLedger(address)
  await ledger.commit([note('a'), note('b'), note('c')])
  await ledger.close()
  return address
}

async function inDatabase(address: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = await connect(addressOf(address), 'test')
  await work(client)
  await client.end()
}

/** The next gate on it appends two entries; returns what was reported. */
async function reportedAfter(attack: (client: Client) => Promise<unknown>): Promise<unknown[]> {
  const address = await written()
  await inDatabase(address, attack)
  const reported: unknown[] = []
  const ledger = await openLedger(address, { alone: true, onDiverged: (found) => reported.push(found) })
  expect(await ledger.commit([note('d')])).toBe('committed')
  expect(await ledger.commit([note('e')])).toBe('committed')
  await ledger.close()
  return reported
}

/** Changes the actor of the second entry, rehashes the rest, and updates the head: everything that can be done without a key. */
async function rewrite(client: Client): Promise<void> {
  let before: string | undefined
  const found = await client.query<{ seq: number; hash: string; body: string }>(
    'SELECT seq, hash, body FROM audit WHERE seq >= 2 ORDER BY seq',
  )
  for (const { seq, hash, body } of found.rows) {
    const entry = { ...(JSON.parse(body) as AuditEntry), hash }
    const fields = before === undefined ? { actor: 'agent:somebody-else' } : { prev_hash: before }
    const { hash: next, ...rest } = rehashed(entry, fields)
    await client.query('UPDATE audit SET hash = $1, body = $2 WHERE seq = $3', [next, JSON.stringify(rest), seq])
    before = next
  }
  await client.query('UPDATE heads SET hash = $1', [before])
}

describe.skipIf(!hasPostgres)('entries after the newest checkpoint in a database, while no gate runs', () => {
  test('are continued if nobody touched them', async () => {
    expect(await reportedAfter(async () => undefined)).toEqual([])
  })
  test.each<[string, (client: Client) => Promise<unknown>]>([
    ['are rewritten', rewrite],
    [
      'are rewritten, and the head loses its MAC',
      async (client) => {
        await rewrite(client)
        await client.query('UPDATE heads SET mac = NULL')
      },
    ],
    [
      'are cut off',
      async (client) => {
        await client.query('DELETE FROM audit WHERE seq > 2')
        await client.query('UPDATE heads SET seq = 2, hash = (SELECT hash FROM audit WHERE seq = 2)')
      },
    ],
    [
      'are cut off, and the column of the MACs is dropped and made again by a migration',
      async (client) => {
        await client.query('DELETE FROM audit WHERE seq > 2')
        await client.query('UPDATE heads SET seq = 2, hash = (SELECT hash FROM audit WHERE seq = 2)')
        await client.query('ALTER TABLE heads DROP COLUMN mac')
        await client.query('ALTER TABLE once DROP COLUMN mac; DROP TABLE once_sums; DROP FUNCTION keep_key CASCADE')
        await client.query('DROP TABLE keyring')
        await client.query(`UPDATE product SET schema = ${WITHOUT_HEAD_MACS.length}`)
      },
    ],
    [
      'are exchanged for those of another stream, with its head',
      async (client) => {
        await client.query("INSERT INTO streams (stream) VALUES ('other')")
        await client.query("UPDATE heads SET stream = 'other' WHERE stream = 'main'")
        await client.query("INSERT INTO heads SELECT 'main', seq, hash, mac FROM heads WHERE stream = 'other'")
        await rewrite(client)
      },
    ],
  ])('%s: the first commit reports it, once', async (_, attack) => {
    expect(await reportedAfter(attack)).toMatchObject([{ stream: 'main' }])
  })

  test('a stream of a release without these MACs is not continued by a node of this one', async () => {
    const address = `${await testDatabase()} ${freshSchema()}`
    await inDatabase(address, async (client) => {
      expect(await migrate(client, addressOf(address).schema, [], WITHOUT_HEAD_MACS)).toMatchObject({ ok: true })
      await client.query("INSERT INTO streams (stream, holder) VALUES ('node-1', NULL)")
      expect(await migrate(client, addressOf(address).schema, FUNCTIONS)).toMatchObject({ ok: true })
    })
    const joined = await joinBoots({ address: addressOf(address), onOwnDeath: () => undefined })
    if (!joined.ok) throw new Error(JSON.stringify(joined.problem))
    expect(joined.value.stream).toBe('gate-1')
    await joined.value.leave()
    const again = await joinBoots({ address: addressOf(address), onOwnDeath: () => undefined })
    if (!again.ok) throw new Error(JSON.stringify(again.problem))
    expect(again.value.stream).toBe('gate-1')
    await again.value.leave()
  })
})
