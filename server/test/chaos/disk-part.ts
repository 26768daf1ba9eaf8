import { setTimeout as sleep } from 'node:timers/promises'
import { openChaosGate, type ChaosGate } from './chaos-gate.ts'
import { beginLoad } from './load-on-nodes.ts'
import { becomesRefusing, mustExecute, mustRun } from './node-checks.ts'
import { addCounts, skipped, type PartReport } from './report.ts'
import { smallDisk, type SmallDisk } from './small-disk.ts'
import type { Load } from './soak-load.ts'

const CLIENTS = 6
const MEGABYTES = 48
const FILLER = 4_000
const LOAD_MS = 3_000
const WAYS = [
  'disk full, then room',
  'disk full, gate killed, started with room',
  'disk full, gate killed, started without room',
] as const
type Way = (typeof WAYS)[number]

/**
 * The disk of the embedded store is full, under load. The gate rejects calls and says why, executes again when there is space, and
 * loses nothing if it is killed meanwhile.
 */
export async function diskPart(setup: { readonly seed: number; readonly isShort: boolean }): Promise<PartReport> {
  const part = 'a full disk under the embedded store, with load'
  const disk = smallDisk(MEGABYTES)
  if (disk === undefined) return skipped(part, 'no file system can be mounted here')
  const gate = await openChaosGate({ data: `${disk.folder}/data` })
  try {
    const first = await gate.start()
    const prober = await first.key('agent', 'p', 'pia')
    const { load, end } = await beginLoad(first, gate.running, gate.records, {
      ...setup,
      clients: CLIENTS,
      filler: FILLER,
    })
    let faults: Readonly<Record<string, number>> = {}
    const notes: string[] = []
    const ways = setup.isShort ? WAYS.slice(0, 1) : [...WAYS, WAYS[0]]
    for (const [index, way] of ways.entries()) {
      const said = await fillAndFree({ disk, gate, prober, load }, way, index)
      notes.push(`${way}: ${said}`)
      faults = addCounts(faults, { [way]: 1 })
    }
    const made = await end()
    const { checks, violations, rounds } = await gate.finish(load)
    notes.push(`${made} calls by ${CLIENTS} clients, nothing was open after ${rounds} checks`)
    return { part, faults, checks, violations, notes }
  } finally {
    await gate.stop()
    disk.remove()
  }
}

type Place = {
  readonly disk: SmallDisk
  readonly gate: ChaosGate
  readonly prober: string
  readonly load: Load
}

async function fillAndFree({ disk, gate, prober, load }: Place, way: Way, index: number): Promise<string> {
  const node = gate.running()[0] ?? (await gate.start())
  await mustExecute([node], prober, `before ${index}`, load.record)
  await sleep(LOAD_MS)
  const why = await becomesRefusing(node, prober, `full ${index}`, load.record, () => disk.fill())
  mustRun(node)
  if (way !== 'disk full, then room') await gate.end('SIGKILL')
  if (way === 'disk full, gate killed, started without room') {
    // It may refuse to start, or start and refuse calls.
    const started = await gate.start().catch(() => undefined)
    if (started !== undefined)
      await becomesRefusing(started, prober, `still full ${index}`, load.record, () => disk.fill())
    await gate.end('SIGKILL')
  }
  disk.free()
  const now = gate.running()[0] ?? (await gate.start())
  const ms = await mustExecute([now], prober, `after ${index}`, load.record)
  return `refused with \`${why}\`, executed again after ${ms} ms`
}
