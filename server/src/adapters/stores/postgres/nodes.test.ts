import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { startChild } from '../../../../test/built/start-child.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import { newCall } from '../ledger-fixtures.suite.ts'
import { livenessSuite } from '../liveness.suite.ts'
import { noticesSuite } from '../notices.suite.ts'
import { joinBoots, type BootsSetup } from './boots.ts'
import { connect } from './connect.ts'
import { joinNotices, type JoinedNotices } from './notices.ts'
import { addressOf, openLedger, TEST_LEASE } from './open-ledger.suite.ts'

const create = async () => `${await testDatabase()} ${freshSchema()}`
const joiner = new URL('./boot-joiner.suite.ts', import.meta.url)

async function join(address: string, setup: Partial<BootsSetup> = {}) {
  const joined = await joinBoots({
    address: addressOf(address),
    onOwnDeath: () => undefined,
    tuning: TEST_LEASE,
    ...setup,
  })
  if (!joined.ok) throw new Error(JSON.stringify(joined.problem))
  return joined.value
}

async function listenAt(address: string): Promise<JoinedNotices> {
  const joined = await joinNotices(addressOf(address))
  if (!joined.ok) throw new Error(JSON.stringify(joined.problem))
  return joined.value
}

/** A boot in its own process. */
async function startBoot(address: string) {
  const child = startChild(fileURLToPath(joiner), [address])
  return { child: child.process, exited: child.ended, boot: await child.line() }
}

/** Resolves when a boot has renewed its lease once more. */
async function renewedAgain(admin: Client, schema: string, boot: string | undefined): Promise<void> {
  const seen = new Set<string>()
  await vi.waitFor(
    async () => {
      const found = await admin.query<{ until: string }>(
        `SELECT alive_until::text AS until FROM ${schema}.boots WHERE boot = $1`,
        [boot],
      )
      seen.add(found.rows[0]?.until ?? '')
      expect(seen.size).toBeGreaterThan(1)
    },
    { timeout: 60_000 },
  )
}

describe.skipIf(!hasPostgres)('on a real Postgres', () => {
  livenessSuite('postgres', { create, join, joiner, lease_ms: TEST_LEASE.lease_ms + TEST_LEASE.renew_ms })

  let nodes: readonly JoinedNotices[] = []
  noticesSuite('postgres', {
    async join(count) {
      const address = await create()
      nodes = await Promise.all(Array.from({ length: count }, () => listenAt(address)))
      return nodes
    },
    async settled() {
      // Twice, for what listeners publish themselves.
      for (let round = 0; round < 2; round += 1) {
        for (const node of nodes) await node.settled().catch(() => undefined)
        for (const node of nodes) await node.settled().catch(() => undefined)
      }
    },
  })

  test('nodes that lost their connection learn that notices may be missing, and get the next ones', async () => {
    const address = await create()
    const [one, other] = [await listenAt(address), await listenAt(address)]
    const received: string[] = []
    const missed = vi.fn()
    other.subscribe('policy', ({ version }) => void received.push(version))
    other.onMissed(missed)
    const admin = await connect(addressOf(address), 'test')
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice notices'",
    )
    await vi.waitFor(() => expect(missed).toHaveBeenCalled(), { timeout: 60_000 })
    await vi.waitFor(
      async () => {
        one.publish('policy', { version: 'after' })
        await one.settled()
        await other.settled()
        expect(received).toContain('after')
      },
      { timeout: 60_000 },
    )
    await admin.end()
    await one.leave()
    await other.leave()
  })

  test('boots whose leases expired together renew them, and none declares another dead', async () => {
    const address = await create()
    const { schema } = addressOf(address)
    const boots = await Promise.all([startBoot(address), startBoot(address)])
    const admin = await connect(addressOf(address), 'test')
    const states = async () => {
      const found = await admin.query<{ boot: string; state: string }>(
        `SELECT boot, CASE WHEN is_dead THEN 'dead' WHEN alive_until <= clock_timestamp() THEN 'over' ELSE 'alive' END AS state FROM ${schema}.boots`,
      )
      return boots.map(({ boot }) => found.rows.find((row) => row.boot === boot)?.state)
    }
    const become = (wanted: readonly string[]) =>
      vi.waitFor(async () => expect(await states()).toEqual(wanted), { timeout: 60_000 })
    for (const { child } of boots) child.kill('SIGSTOP')
    await become(['over', 'over'])
    boots[0]?.child.kill('SIGCONT')
    // A renewal is followed by a check of the others, so after the next one the first boot has checked the second.
    await become(['alive', 'over'])
    await renewedAgain(admin, schema, boots[0]?.boot)
    boots[1]?.child.kill('SIGCONT')
    await become(['alive', 'alive'])
    // Once it is steady again, the first one declares every boot dead that does not renew.
    boots[1]?.child.kill('SIGKILL')
    await become(['alive', 'dead'])
    boots[0]?.child.kill('SIGKILL')
    await Promise.all(boots.map(({ exited }) => exited))
    await admin.end()
  }, 180_000)

  test('a boot that was stopped past its lease learns that it was declared dead, and nothing that it sends is stored', async () => {
    const address = await create()
    const deaths = vi.fn()
    const watcher = await join(address)
    const { child, exited, boot } = await startBoot(address)
    expect(await watcher.isAlive(boot)).toBe(true)
    watcher.onDeath(deaths)
    const ledger = await openLedger(address, { boot, onFault: () => undefined })
    expect(await ledger.commit([newCall('before')])).toBe('committed')
    child.kill('SIGSTOP')
    await vi.waitFor(() => expect(deaths).toHaveBeenCalledWith(boot), { timeout: 60_000 })
    expect(await ledger.commit([newCall('after')])).toBe('unavailable')
    expect(await ledger.row('calls', 'after')).toBeUndefined()
    child.kill('SIGCONT')
    expect(await exited).toBe(3)
    await ledger.close()
    await watcher.leave()
  })
})
