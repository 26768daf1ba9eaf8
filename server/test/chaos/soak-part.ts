import { setTimeout as sleep } from 'node:timers/promises'
import { openChaosNodes } from './chaos-nodes.ts'
import { loadNodes } from './load-on-nodes.ts'
import { killNode } from './node-checks.ts'
import { pick, seeded } from './random.ts'
import { skipped, type PartReport } from './report.ts'

const CLIENTS = 16

/** Three nodes on one database under load; one of them at a time is killed and another one started. */
export async function soakPart(setup: {
  readonly seed: number
  readonly seconds: number
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = `soak, ${setup.seconds} s, three nodes, random kills of one`
  if (!setup.hasPostgres) return skipped(part, 'there is no Postgres')
  const nodes = await openChaosNodes()
  const random = seeded(setup.seed)
  let kills = 0
  try {
    const { alive, finish } = await loadNodes(nodes, [await nodes.start(), await nodes.start(), await nodes.start()], {
      seed: setup.seed + 1,
      clients: CLIENTS,
    })
    const over = performance.now() + setup.seconds * 1000
    for (;;) {
      await sleep(2_000 + random() * 4_000)
      if (performance.now() > over) break
      const killed = pick(random, [...alive])
      alive.delete(killed)
      await killNode(nodes, killed)
      kills += 1
      alive.add(await nodes.start())
    }
    const notes = [await finish()]
    const { checks, violations } = await nodes.check()
    return { part, faults: { 'SIGKILL of a node': kills }, checks, violations, notes }
  } finally {
    await nodes.stop()
  }
}
