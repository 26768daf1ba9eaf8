import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../../../test/helpers/with-redis.ts'
import { noticesSuite } from '../notices.suite.ts'
import { joinNotices, type JoinedNotices } from '../postgres/notices.ts'
import { openLedger } from '../postgres/open-ledger.suite.ts'
import { openUsedKeys, refuseUsed } from './used-keys.ts'
import { openRedisWire } from './wire.ts'

const quiet = () => undefined

describe.skipIf(!hasPostgres || !hasRedis)('with a real Redis beside Postgres', () => {
  let redis: TestRedis
  beforeAll(async () => void (redis = await startRedis()), 60_000)
  afterAll(() => redis.stop())

  const joinOne = async (schema: string): Promise<JoinedNotices> => {
    const address = { url: await testDatabase(), schema }
    const joined = await joinNotices(address, (callbacks) =>
      openRedisWire({ url: redis.url, schema }, { ...callbacks, onFault: quiet }),
    )
    if (!joined.ok) throw new Error(JSON.stringify(joined.problem))
    return joined.value
  }
  const settle = async (nodes: readonly JoinedNotices[]) => {
    // Twice, for what listeners publish themselves.
    for (let round = 0; round < 4; round += 1) for (const node of nodes) await node.settled().catch(quiet)
  }

  let nodes: readonly JoinedNotices[] = []
  noticesSuite('redis', {
    async join(count) {
      const schema = freshSchema()
      nodes = await Promise.all(Array.from({ length: count }, () => joinOne(schema)))
      return nodes
    },
    settled: () => settle(nodes),
  })

  test('notices continue by Postgres while Redis is down, and by Redis when it is back', async () => {
    const schema = freshSchema()
    const [one, other] = [await joinOne(schema), await joinOne(schema)]
    const received: string[] = []
    const missed = vi.fn()
    other.subscribe('policy', ({ version }) => void received.push(version))
    const publishUntilReceived = (version: string) =>
      vi.waitFor(
        async () => {
          one.publish('policy', { version })
          await settle([one, other])
          expect(received).toContain(version)
        },
        { timeout: 60_000 },
      )
    await publishUntilReceived('with')
    const port = Number(new URL(redis.url).port)
    await redis.stop()
    await publishUntilReceived('without')
    other.onMissed(missed)
    redis = await startRedis(port)
    await vi.waitFor(() => expect(missed).toHaveBeenCalled(), { timeout: 60_000 })
    await publishUntilReceived('again')
    await one.leave()
    await other.leave()
  }, 120_000)

  test('a used key is rejected without reading the database, even on another node; one that Redis forgot is rejected by the database', async () => {
    const schema = freshSchema()
    const address = `${await testDatabase()} ${schema}`
    const used = await openUsedKeys({ url: redis.url, schema }, quiet)
    const [one, other] = [await openLedger(address), await openLedger(address, { stream: 'other' })]
    const asked = vi.fn(other.commit)
    const [here, there] = [refuseUsed(one, used), refuseUsed({ ...other, commit: asked }, used)]
    const use = { kind: 'once', key: 'token', until: Date.now() + 60_000 } as const
    expect(await here.commit([{ kind: 'wake', run: 'run_1' }, use])).toBe('committed')
    await vi.waitFor(async () => expect(await used.firstUsed(['token'])).toBe(0), { timeout: 60_000 })
    expect(await there.commit([{ kind: 'wake', run: 'run_1' }, use])).toEqual({ lost: 1 })
    expect(asked).not.toHaveBeenCalled()
    const port = Number(new URL(redis.url).port)
    await redis.stop()
    expect(await there.commit([use])).toEqual({ lost: 0 })
    redis = await startRedis(port)
    await vi.waitFor(async () => expect(await used.firstUsed(['token', 'new'])).toBeUndefined(), { timeout: 60_000 })
    expect(await here.commit([use])).toEqual({ lost: 0 })
    expect(await here.commit([{ ...use, key: 'new' }])).toBe('committed')
    await used.close()
    await one.close()
    await other.close()
  }, 120_000)
})
