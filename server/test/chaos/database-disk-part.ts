import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { answers, binaries, startPostgres, startServer, stopPostgres } from '../helpers/start-postgres.ts'
import { openChaosNodes } from './chaos-nodes.ts'
import { loadNodes } from './load-on-nodes.ts'
import { becomesRefusing, mustExecute, mustRun } from './node-checks.ts'
import { addCounts, skipped, type PartReport } from './report.ts'
import { smallDisk } from './small-disk.ts'

const CLIENTS = 6
const MEGABYTES = 256
const FILLER = 8_000
const ROUNDS = 2
/** How long a server with a full disk has to recover by itself. */
const RECOVERY_MS = 5_000

/**
 * The database's disk is full, with two nodes under load. A server that stopped because of it is started again when there is space.
 */
export async function databaseDiskPart(setup: {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = 'a full disk under Postgres, with two nodes and load'
  const programs = await binaries()
  if (!setup.hasPostgres || programs === undefined) return skipped(part, 'there is no Postgres')
  const disk = smallDisk(MEGABYTES)
  if (disk === undefined) return skipped(part, 'no file system can be mounted here')
  const place = join(disk.folder, 'postgres')
  const port = await startPostgres(place, programs)
  const nodes = await openChaosNodes({ url: `postgres://sluice@127.0.0.1:${port}/postgres` })
  try {
    const kept = [await nodes.start(), await nodes.start()] as const
    const prober = await kept[0].key('agent', 'p', 'pia')
    const { load, finish } = await loadNodes(nodes, kept, { seed: setup.seed, clients: CLIENTS, filler: FILLER })
    let faults: Readonly<Record<string, number>> = {}
    const notes: string[] = []
    for (let round = 0; round < (setup.isShort ? 1 : ROUNDS); round += 1) {
      await mustExecute(kept, prober, `before ${round}`, load.record)
      const why = await becomesRefusing(kept[0], prober, `full ${round}`, load.record, () => disk.fill())
      disk.free()
      await sleep(RECOVERY_MS)
      const hasEnded = !(await answers(port))
      if (hasEnded) {
        await stopPostgres(place, 'SIGQUIT')
        await startServer({ postgres: programs.postgres, folder: place, port })
      }
      const ms = await mustExecute(kept, prober, `after ${round}`, load.record)
      for (const node of kept) mustRun(node)
      faults = addCounts(faults, { 'disk full': 1, ...(hasEnded ? { 'server ended by it': 1 } : {}) })
      notes.push(`refused with \`${why}\`, both nodes executed again after ${ms} ms`)
    }
    notes.push(await finish())
    const { checks, violations } = await nodes.check()
    return { part, faults, checks, violations, notes }
  } finally {
    await nodes.stop()
    await stopPostgres(place, 'SIGQUIT')
    disk.remove()
  }
}
