import type { Client } from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import { someOf } from '../../../../test/some-of.ts'
import type { Change } from '../../../kernel/ports/ledger.ts'
import { note } from '../ledger-fixtures.suite.ts'
import { rowMacs } from '../row-mac.ts'
import { TEST_ROWS } from '../sqlite/open-store.suite.ts'
import { connect } from './connect.ts'
import { hasAllKeys } from './once-keys.ts'
import { addressOf, openLedger } from './open-ledger.suite.ts'
import type { PostgresSetup } from './open-postgres-ledger.ts'

vi.setConfig({ testTimeout: 60_000 })

const HOUR = 3_600_000
const FOR_EVER = Number.MAX_SAFE_INTEGER
const macs = rowMacs(TEST_ROWS.key)
const fresh = async () => `${await testDatabase()} ${freshSchema()}`
const key = (name: string, until = FOR_EVER): Change => ({ kind: 'once', key: name, until })

async function inDatabase<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(addressOf(address), 'test')
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
/** As somebody who can do anything in the database. */
const attack = (address: string, sql: string) =>
  inDatabase(address, (client) => client.query(`ALTER TABLE once DISABLE TRIGGER keep_key; ${sql}`))
const isWhole = (address: string) => inDatabase(address, (client) => hasAllKeys(client, macs, () => undefined))
const keysIn = (address: string) =>
  inDatabase(address, async (client) =>
    (await client.query<{ key: string }>('SELECT key FROM once ORDER BY key')).rows.map((row) => row.key),
  )

/** A node that compares its keys all the time, and what it reported. */
async function node(address: string, setup: Partial<PostgresSetup> = {}) {
  const reported: unknown[] = []
  let broken = false
  const ledger = await openLedger(address, {
    alone: true,
    keys_every_ms: 50,
    isBroken: () => broken,
    onDiverged(found) {
      reported.push(found)
      broken = true
    },
    ...setup,
  })
  return { ledger, reported, accept: () => void (broken = false) }
}
const expectReport = (reported: readonly unknown[]) =>
  vi.waitFor(() => expect(reported).toMatchObject([{ says: expect.stringContaining('single-use keys') }]), {
    timeout: 60_000,
  })

describe.skipIf(!hasPostgres)('single-use keys in a database', () => {
  test('of two nodes are those that both stored, also after keys expired and were purged by one of them', async () => {
    const address = await fresh()
    let now = 1_000_000_000
    const clock = () => now
    const one = await openLedger(address, { stream: 'gate-1', clock })
    const other = await openLedger(address, { stream: 'gate-2', clock })
    await Promise.all([
      one.commit([key('a')]),
      other.commit([key('b', now + HOUR)]),
      one.commit([key('c', now + HOUR)]),
    ])
    expect(await one.commit([key('b')])).toEqual({ lost: 0 })
    expect(await isWhole(address)).toBe(true)
    now += 3 * HOUR
    expect(await one.commit([note('later')])).toBe('committed')
    expect(await keysIn(address)).toEqual(['a'])
    expect(await isWhole(address)).toBe(true)
    expect(await other.commit([key('b')])).toBe('committed')
    expect(await isWhole(address)).toBe(true)
    await one.close()
    await other.close()
  })

  test('that a node of the release before would purge are kept, and its own are purged', async () => {
    const address = await fresh()
    const ledger = await openLedger(address)
    await ledger.commit([key('ours', Date.now() + HOUR)])
    await inDatabase(address, async (client) => {
      await client.query("INSERT INTO once (key, until) VALUES ('theirs', 1)")
      await client.query('DELETE FROM once WHERE key IN (SELECT key FROM once WHERE until < 9e15 LIMIT 1000)')
    })
    expect(await keysIn(address)).toEqual(['ours'])
    expect(await isWhole(address)).toBe(true)
    await ledger.close()
  })

  test.each(
    someOf(
      [
        ['deleted', "DELETE FROM once WHERE key = 'a'"],
        ['changed', "UPDATE once SET until = 1 WHERE key = 'a'"],
        ['renamed', "UPDATE once SET key = 'other' WHERE key = 'a'"],
        ['taken for those of an earlier release', "UPDATE once SET mac = NULL WHERE key = 'a'"],
        ['deleted with their sum', 'DELETE FROM once; DELETE FROM once_sums'],
      ] as const,
      4,
    ),
  )('that were %s are detected by the running node', async (_, sql) => {
    const address = await fresh()
    const { ledger, reported } = await node(address)
    await ledger.commit([key('a')])
    await ledger.commit([key('b')])
    expect(reported).toEqual([])
    await attack(address, sql)
    if (sql.includes('once_sums')) await ledger.commit([key('c')])
    await expectReport(reported)
    await ledger.close()
  })

  test('that were deleted while no node ran are detected at the start, and so are further deletions after those were accepted', async () => {
    const address = await fresh()
    const before = await openLedger(address)
    await before.commit([key('a'), key('b')])
    await before.close()
    await attack(address, "DELETE FROM once WHERE key = 'a'")
    const { ledger, reported, accept } = await node(address)
    await expectReport(reported)
    accept()
    await vi.waitFor(async () => expect(await isWhole(address)).toBe(true), { timeout: 60_000 })
    expect(await ledger.commit([key('c')])).toBe('committed')
    reported.length = 0
    await attack(address, "DELETE FROM once WHERE key = 'c'")
    await expectReport(reported)
    await ledger.close()
  })

  test('that were deleted while an earlier sum was restored are detected by the number noted beside the keys', async () => {
    const address = await fresh()
    const before = await openLedger(address)
    await before.commit([key('a'), note('a')])
    const old = await inDatabase(address, (client) => client.query('SELECT n, masked, mac FROM once_sums'))
    await before.commit([key('b')])
    const tail = before.ownTail()
    await before.close()
    const [row] = old.rows as { n: number; masked: string; mac: string }[]
    await attack(
      address,
      `DELETE FROM once WHERE key = 'b'; UPDATE once_sums SET n = ${row?.n}, masked = '${row?.masked}', mac = '${row?.mac}'`,
    )
    expect(await isWhole(address)).toBe(true)
    const { ledger, reported } = await node(address, {
      floor: { stream: 'main', seq: tail?.seq ?? 0, hash: tail?.hash ?? '', once: 2 },
    })
    await ledger.commit([note('next')])
    await expectReport(reported)
    await ledger.close()
  })
})
