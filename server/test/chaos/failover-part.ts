import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE } from '../../src/adapters/stores/postgres/boots.ts'
import { binaries, startPostgres, stopPostgres } from '../helpers/start-postgres.ts'
import { openChaosNodes } from './chaos-nodes.ts'
import { loadNodes } from './load-on-nodes.ts'
import { killNode, mustExecute, mustRun } from './node-checks.ts'
import { skipped, type PartReport } from './report.ts'
import { promote, startStandby, type Server } from './standby.ts'
import { tcpProxy } from './tcp-proxy.ts'

const CLIENTS = 8
const LOAD_MS = 3_000
/** Longer than nodes need to check each other's leases again. */
const AFTER_MS = 2 * LEASE.lease_ms
/** What happens to the first server: it crashes, or it is cut off and keeps running. */
const WAYS = ['the primary crashed', 'the primary was cut off and keeps running'] as const

/**
 * The database fails over to a standby (base backup plus streaming replication), with two nodes under load; a third node is killed
 * at the same time. Replication is synchronous, so acknowledged commits are on the standby.
 */
export async function failoverPart(setup: {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = 'the database fails over to a standby (base backup, synchronous streaming), under two nodes with load'
  const programs = await binaries()
  if (!setup.hasPostgres || programs === undefined) return skipped(part, 'there is no Postgres')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-failover-'))
  chmodSync(folder, 0o755)
  const places = ['first', 'second', 'third'].map((name) => join(folder, name))
  const place = places[0] ?? folder
  let primary: Server = { folder: place, port: await startPostgres(place, programs) }
  const proxy = await tcpProxy(primary.port)
  const nodes = await openChaosNodes({ url: `postgres://sluice@127.0.0.1:${proxy.port}/postgres` })
  try {
    const kept = [await nodes.start(), await nodes.start()] as const
    const killed = await nodes.start()
    const prober = await kept[0].key('agent', 'p', 'pia')
    const { load, alive, finish } = await loadNodes(nodes, [...kept, killed], { seed: setup.seed, clients: CLIENTS })
    const faults: Record<string, number> = {}
    const notes: string[] = []
    for (const [index, way] of (setup.isShort ? WAYS.slice(0, 1) : WAYS).entries()) {
      // Under load, as operators do it.
      const { postgres } = programs
      const standby = await startStandby(primary, {
        folder: places[index + 1] ?? folder,
        postgres,
        isSynchronous: true,
      })
      await mustExecute(kept, prober, `before: ${way}`, load.record)
      await sleep(LOAD_MS)
      if (way === 'the primary crashed') await stopPostgres(primary.folder, 'SIGQUIT')
      if (alive.delete(killed)) await killNode(nodes, killed)
      await promote(standby)
      proxy.pointTo(standby.port)
      const ms = await mustExecute(kept, prober, `after: ${way}`, load.record)
      notes.push(`${way}: both nodes executed calls ${ms} ms after the standby was promoted`)
      faults[way] = 1
      primary = standby
      await sleep(AFTER_MS)
      for (const node of kept) mustRun(node)
    }
    notes.push(await finish())
    const { checks, violations } = await nodes.check()
    return { part, faults: { ...faults, 'SIGKILL of a node meanwhile': 1 }, checks, violations, notes }
  } finally {
    await nodes.stop()
    await proxy.close()
    for (const one of places) await stopPostgres(one)
    rmSync(folder, { recursive: true, force: true })
  }
}
