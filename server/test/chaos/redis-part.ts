import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedis, startRedis } from '../helpers/with-redis.ts'
import { openChaosNodes } from './chaos-nodes.ts'
import { loadNodes } from './load-on-nodes.ts'
import { mustExecute, mustRun } from './node-checks.ts'
import { pick, seeded } from './random.ts'
import { addCounts, skipped, type PartReport } from './report.ts'

const CLIENTS = 8
const ROUNDS = 6
const SHORT_ROUNDS = 2
const FAULTS = ['Redis killed and started empty', 'Redis stopped and continued', 'Redis emptied'] as const

/**
 * Redis is killed and comes back empty, hangs and continues, and loses its data, with three nodes under load. Clients send each
 * call and each decision to two nodes at once. Redis decides nothing, so nothing is lost or executed twice, and calls are executed
 * without it.
 */
export async function redisPart(setup: {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = 'Redis unavailable and back, with three nodes under load'
  if (!setup.hasPostgres) return skipped(part, 'there is no Postgres')
  if (!hasRedis) return skipped(part, 'there is no redis-server (npm run get-redis)')
  const random = seeded(setup.seed)
  let redis = await startRedis()
  const nodes = await openChaosNodes({ redis: redis.url })
  try {
    const all = [await nodes.start(), await nodes.start(), await nodes.start()] as const
    const prober = await all[0].key('agent', 'p', 'pia')
    const { load, finish } = await loadNodes(nodes, all, { seed: setup.seed, clients: CLIENTS, isTwice: true })
    let faults: Readonly<Record<string, number>> = {}
    const rounds = setup.isShort ? SHORT_ROUNDS : ROUNDS
    for (let round = 0; round < rounds; round += 1) {
      await sleep(1_000 + random() * 2_000)
      const fault = round < FAULTS.length ? (FAULTS[round] ?? FAULTS[0]) : pick(random, FAULTS)
      faults = addCounts(faults, { [fault]: 1 })
      if (fault === 'Redis killed and started empty') {
        await redis.stop()
        await mustExecute(all, prober, `without Redis ${round}`, load.record)
        redis = await startRedis(Number(new URL(redis.url).port))
      } else if (fault === 'Redis stopped and continued') {
        redis.process.kill('SIGSTOP')
        await mustExecute(all, prober, `while Redis hangs ${round}`, load.record)
        redis.process.kill('SIGCONT')
      } else await redis.empty()
      for (const node of all) mustRun(node)
    }
    const notes = [await finish()]
    const { checks, violations } = await nodes.check()
    return { part, faults, checks, violations, notes }
  } finally {
    await nodes.stop()
    redis.process.kill('SIGCONT')
    await redis.stop()
  }
}
