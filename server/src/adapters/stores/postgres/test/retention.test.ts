import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { connect } from '../connect.ts'
import { ADMIN, AGENT, openTestGate, STORE_VARIABLE } from '../../../../../test/helpers/with-gate.ts'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../../test/helpers/with-postgres.ts'

const DAY = 86_400_000
const BEN = { kind: 'agent', id: 'agent:ben', user: 'ben' } as const
const POLICY = `
rules:
  - { id: harmless, effect: allow, match: { tool: [book__echo, book__big] }, says: harmless }
`

afterEach(() => {
  delete process.env[STORE_VARIABLE]
  vi.useRealTimers()
})

/** How many rows of the schema hold this text. */
async function rowsWith(address: { readonly url: string; readonly schema: string }, text: string): Promise<number> {
  const client = await connect(address, 'test')
  const tables = await client.query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
    [address.schema],
  )
  let found = 0
  for (const { name } of tables.rows) {
    const rows = await client.query(`SELECT 1 FROM ${address.schema}.${name} t WHERE position($1 in t::text) > 0`, [
      text,
    ])
    found += rows.rows.length
  }
  await client.end()
  return found
}

/** Contents are not sealed here, so that what is left of them can be found. */
test.skipIf(!hasPostgres || !isWhole)(
  'on Postgres, expired data and a person`s erased data are removed, and the audit verifies',
  async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const address = { url: await testDatabase(), schema: freshSchema() }
    process.env[STORE_VARIABLE] = JSON.stringify({ postgres: address.url, schema: address.schema, seal: false })
    const folder = mkdtempSync(join(tmpdir(), 'sluice-retention-'))
    const rig = await openTestGate(folder, { policy: POLICY })
    try {
      await rig.call('book__echo', { text: 'planted-of-ana' }, { caller: AGENT })
      await rig.call('book__echo', { text: 'planted-of-ben' }, { caller: BEN })
      expect(await rowsWith(address, 'planted-of-ana')).toBeGreaterThan(0)
      expect(await rowsWith(address, 'planted-of-ben')).toBeGreaterThan(0)
      expect(await rig.gate.retention.eraseUser(ADMIN, { user: 'ben', withdraw: true })).toMatchObject({ ok: true })
      expect(await rowsWith(address, 'planted-of-ben')).toBe(0)
      expect(await rowsWith(address, 'planted-of-ana')).toBeGreaterThan(0)
      vi.setSystemTime(Date.now() + 32 * DAY)
      expect((await rig.opened.sweep()).calls).toBeGreaterThan(0)
      expect(await rowsWith(address, 'planted-of-ana')).toBe(0)
      expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
    } finally {
      await rig.opened.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
