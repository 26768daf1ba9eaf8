import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isWhole } from '../../../../test/helpers/postgres-stores.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import type { JobHandlers } from '../../../kernel/ports/jobs.ts'
import type { RunId } from '../../../kernel/contract/ids.ts'
import { connect, type PostgresAddress } from './connect.ts'
import { openLedger } from './open-ledger.suite.ts'
import type { PostgresLedger } from './open-postgres-ledger.ts'
import { jobsSchema, openRunJobs, type OpenedJobs } from './run-jobs.ts'

const RUN = 'run_1' as RunId
const nobody: JobHandlers = { drive: async () => undefined, giveUp: async () => undefined }

describe.skipIf(!hasPostgres)('jobs of runs on a real Postgres', () => {
  let address: PostgresAddress
  let one: OpenedJobs
  let ledger: PostgresLedger
  const stops: (() => Promise<void>)[] = []

  const openJobs = async (): Promise<OpenedJobs> => {
    const opened = await openRunJobs(address, (error) => {
      throw error
    })
    if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
    return opened.value
  }
  const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = await connect(address, 'test')
    const { rows } = await client.query<Record<string, unknown>>(
      sql.replaceAll('JOB', `${jobsSchema(address.schema)}.job`),
    )
    await client.end()
    return rows
  }
  const queued = () =>
    ask(`SELECT name, state::text AS state, singleton_key FROM JOB WHERE state <= 'active' ORDER BY 1, 2`)
  /** As if the grace period were over. */
  const letThrough = () => ask(`UPDATE JOB SET start_after = now() WHERE state < 'active'`)

  beforeEach(async () => {
    address = { url: await testDatabase(), schema: freshSchema() }
    // The schema exists first, as with a node that has joined.
    await (await openLedger(`${address.url} ${address.schema}`)).close()
    one = await openJobs()
    ledger = await openLedger(`${address.url} ${address.schema}`, { enqueue: one.enqueue })
  })
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
    await one.close()
    await ledger.close()
  })

  test('a wake-up is a job in the same commit: there is one per run, a lost commit leaves none, and a rest removes it', async () => {
    const wake = { kind: 'wake', run: RUN } as const
    expect(await ledger.commit([wake, { kind: 'once', key: 'k', until: 9e12 }])).toBe('committed')
    expect(await ledger.commit([wake])).toBe('committed')
    expect(await queued()).toEqual([{ name: 'drive', state: 'created', singleton_key: RUN }])
    const lost = await ledger.commit([
      { kind: 'wake', run: 'run_2' },
      { kind: 'once', key: 'k', until: 9e12 },
    ])
    expect(lost).toEqual({ lost: 1 })
    expect(await queued()).toHaveLength(1)
    expect(await ledger.commit([{ kind: 'rest', run: RUN, cursor: 0, next: Date.now() + 60_000 }])).toBe('committed')
    expect(await queued()).toEqual([{ name: 'timers', state: 'created', singleton_key: RUN }])
    expect(await ledger.commit([{ kind: 'rest', run: RUN, cursor: 0 }])).toBe('committed')
    expect(await queued()).toEqual([])
  })

  test('a run that its own node does not drive is driven by another, once, even if it is woken in the meantime', async () => {
    const other = await openJobs()
    const driven: string[] = []
    let [began, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const drive = async (run: RunId) => {
      driven.push(run)
      began.resolve()
      await goOn.promise
    }
    stops.push(one.jobs.work({ ...nobody, drive }), other.jobs.work({ ...nobody, drive }), other.close)
    await ledger.commit([{ kind: 'wake', run: RUN }])
    await letThrough()
    await began.promise
    await ledger.commit([{ kind: 'wake', run: RUN }])
    expect(await queued()).toEqual([
      { name: 'drive', state: 'active', singleton_key: RUN },
      { name: 'drive', state: 'created', singleton_key: RUN },
    ])
    await letThrough()
    expect(driven).toEqual([RUN])
    began = Promise.withResolvers<void>()
    goOn.resolve()
    await began.promise
    await expect.poll(queued, { timeout: 60_000 }).toEqual([])
    expect(driven).toEqual([RUN, RUN])
  }, 120_000)

  test.skipIf(!isWhole)(
    'a run that cannot be driven is retried, and given up after the last attempt',
    async () => {
      const gaveUp = Promise.withResolvers<string>()
      let attempts = 0
      const handlers: JobHandlers = {
        async drive() {
          attempts += 1
          throw new Error('cannot')
        },
        giveUp: async (run) => gaveUp.resolve(run),
      }
      stops.push(one.jobs.work(handlers))
      await ledger.commit([{ kind: 'wake', run: RUN }])
      const timer = setInterval(() => void letThrough(), 200)
      expect(await gaveUp.promise).toBe(RUN)
      clearInterval(timer)
      expect(attempts).toBe(6)
    },
    120_000,
  )
})
