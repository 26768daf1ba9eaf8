import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../bench.ts'
import { openBare } from './bare.ts'
import { openLangGraphAgent } from './langgraph.ts'
import { openSluiceAgent } from './sluice.ts'
import { ANSWER, type AgentSystem } from './system.ts'

// Measures one system in a process of its own: `one-system.ts <system> <model's address> <threads> <turns>` prints one line of JSON.
const SYSTEMS: Readonly<Record<string, (url: string) => Promise<AgentSystem>>> = {
  bare: openBare,
  langgraph: openLangGraphAgent,
  sluice: openSluiceAgent,
}

export type Measured = {
  readonly turns: number
  readonly turns_s: number
  readonly p50_ms: number
  readonly cpu_ms: number
  /** Heap in use after a collection: when the first half of the turns was over, and at the end. */
  readonly heap_mb: readonly [half: number, end: number]
  readonly faults: readonly string[]
}

const WARM_TURNS = 200

const [name = '', url = '', threads = '1', turns = '50'] = process.argv.slice(2)
const open = SYSTEMS[name]
if (open === undefined) throw new Error(`no system is called \`${name}\``)
const system = await open(url)
try {
  console.log(JSON.stringify(await measure(system, Number(threads), Number(turns))))
} finally {
  await system.close()
}
process.exit(0)

async function measure(of: AgentSystem, count: number, each: number): Promise<Measured> {
  await warmUp(of, count)
  const open = await Promise.all(Array.from({ length: count }, () => of.thread()))
  const took: number[] = []
  const turnsOf = async (from: number, to: number) => {
    await Promise.all(
      open.map(async (turn) => {
        for (let at = from; at < to; at += 1) {
          const start = performance.now()
          const answer = await turn()
          if (!answer.endsWith(ANSWER)) throw new Error(`another answer than the model's: ${answer}`)
          took.push(performance.now() - start)
        }
      }),
    )
  }
  const half = Math.ceil(each / 2)
  const [start, before] = [performance.now(), process.cpuUsage()]
  await turnsOf(0, half)
  const paused = performance.now()
  const first = await heapMb()
  const resumed = performance.now()
  await turnsOf(half, each)
  const seconds = (performance.now() - start - (resumed - paused)) / 1000
  const { user, system: kernel } = process.cpuUsage(before)
  const faults = (await of.faults?.()) ?? []
  const last = await heapMb()
  const rounded = (value: number) => Math.round(value * 100) / 100
  const sorted = took.toSorted((a, b) => a - b)
  return {
    turns: took.length,
    turns_s: rounded(took.length / seconds),
    p50_ms: rounded(quantile(sorted, 0.5)),
    cpu_ms: rounded((user + kernel) / 1000 / took.length),
    heap_mb: [first, last],
    faults,
  }
}

/** Warm-up turns, so that compilation is not measured. */
async function warmUp(of: AgentSystem, count: number): Promise<void> {
  const turns = Math.ceil(WARM_TURNS / count)
  const thread = async () => {
    const turn = await of.thread()
    for (let at = 0; at < turns; at += 1) await turn()
  }
  await Promise.all(Array.from({ length: count }, thread))
}

async function heapMb(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await sleep(20)
  }
  return Math.round(process.memoryUsage().heapUsed / 1e5) / 10
}
