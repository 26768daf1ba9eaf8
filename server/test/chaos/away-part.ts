import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE } from '../../src/adapters/stores/postgres/boots.ts'
import { binaries, startPostgres, startServer, stopPostgres } from '../helpers/start-postgres.ts'
import { openChaosNodes } from './chaos-nodes.ts'
import { loadNodes } from './load-on-nodes.ts'
import { becomesClosed, killNode, mustEnd, mustExecute, mustRun } from './node-checks.ts'
import { skipped, type PartReport } from './report.ts'

const CLIENTS = 8
/** Long enough for every lease to expire, and for a node that exits because of it to have exited. */
const AWAY_MS = 2 * LEASE.lease_ms
/** How the database goes away: it is shut down, and it crashes. */
const ENDS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/**
 * The database is unavailable for longer than a lease, several times, with two nodes under load; a third node is killed meanwhile.
 * The two continue without a restart and take over the third node's work. Then the database stays unavailable, and nodes that are
 * asked to stop do so.
 */
export async function awayPart(setup: {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = 'the database restarted and away for longer than a lease, under two nodes with load'
  const programs = await binaries()
  if (!setup.hasPostgres || programs === undefined) return skipped(part, 'there is no Postgres')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-away-'))
  chmodSync(folder, 0o755)
  const place = join(folder, 'postgres')
  const port = await startPostgres(place, programs)
  const nodes = await openChaosNodes({ url: `postgres://sluice@127.0.0.1:${port}/postgres` })
  try {
    const kept = [await nodes.start(), await nodes.start()] as const
    const killed = await nodes.start()
    const prober = await kept[0].key('agent', 'p', 'pia')
    const { load, alive, finish } = await loadNodes(nodes, [...kept, killed], { seed: setup.seed, clients: CLIENTS })
    const faults: Record<string, number> = {}
    const notes: string[] = []
    for (const signal of setup.isShort ? ENDS.slice(0, 1) : ENDS) {
      await mustExecute(kept, prober, `before ${signal}`, load.record)
      await stopPostgres(place, signal)
      faults[`database away (${signal})`] = 1
      await Promise.all(kept.map((node) => becomesClosed(node)))
      if (alive.delete(killed)) await killNode(nodes, killed)
      await sleep(AWAY_MS)
      for (const node of kept) mustRun(node)
      await startServer({ postgres: programs.postgres, folder: place, port })
      const ms = await mustExecute(kept, prober, `after ${signal}`, load.record)
      notes.push(`${signal}: both nodes executed calls ${ms} ms after it was back`)
      // Longer than nodes need to check each other's leases again.
      await sleep(AWAY_MS)
      for (const node of kept) mustRun(node)
    }
    notes.push(await finish())
    const { checks, violations } = await nodes.check()
    await stopPostgres(place)
    await Promise.all(kept.map((node) => becomesClosed(node)))
    await Promise.all(kept.map((node) => mustEnd(nodes, node)))
    const more = { 'SIGKILL of a node meanwhile': 1, 'SIGTERM of a node without its database': 2 }
    return { part, faults: { ...faults, ...more }, checks, violations, notes }
  } finally {
    await nodes.stop()
    await stopPostgres(place)
    rmSync(folder, { recursive: true, force: true })
  }
}
