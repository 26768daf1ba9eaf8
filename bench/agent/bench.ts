import { execFile, spawn } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { columns, valuesOf, type Bench } from '../bench.ts'
import { peerVersion } from '../gate/peers.ts'
import type { Measured } from './one-system.ts'

/** What a turn of an agent costs beyond its model and its tool, one at a time and with many threads at once. */

const SYSTEMS = ['bare', 'langgraph', 'sluice'] as const
type System = (typeof SYSTEMS)[number]
const PEERS = ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite', '@langchain/openai']

type Row = Measured & {
  readonly system: System
  readonly threads: number
  /** Without the time of the model and the tool. */
  readonly overhead_ms: number
  readonly overhead_cpu_ms: number
}
export type AgentReport = {
  readonly bench: 'agent'
  readonly rows: readonly Row[]
  /** Ours over LangGraph's: time and CPU per turn beyond the model, one thread. */
  readonly ratio: { readonly time: number; readonly cpu: number }
  readonly load: number
  readonly versions: Readonly<Record<string, string>>
}

const inProcess = promisify(execFile)

async function measureAll(url: string, threads: number, turns: number, rounds: number): Promise<Row[]> {
  const best = new Map<System, Measured>()
  // The systems take turns, so that a busy moment affects all of them; the best round counts.
  for (let round = 0; round < rounds; round += 1)
    for (const system of SYSTEMS) {
      const words = [
        '--expose-gc',
        join(import.meta.dirname, 'one-system.ts'),
        system,
        url,
        String(threads),
        String(turns),
      ]
      const measured = JSON.parse((await inProcess(process.execPath, words)).stdout) as Measured
      const former = best.get(system)
      const faults = [...(former?.faults ?? []), ...measured.faults]
      if (former === undefined || measured.turns_s > former.turns_s) best.set(system, { ...measured, faults })
      else best.set(system, { ...former, faults })
    }
  const bare = best.get('bare')
  return [...best].map(([system, row]) => ({
    system,
    threads,
    ...row,
    overhead_ms: rounded((1000 * threads) / row.turns_s - (1000 * threads) / (bare?.turns_s ?? 1)),
    overhead_cpu_ms: rounded(row.cpu_ms - (bare?.cpu_ms ?? 0)),
  }))
}

const rounded = (value: number): number => Math.round(value * 100) / 100

function ratioOf(rows: readonly Row[]): AgentReport['ratio'] {
  const of = (system: System) => rows.find((row) => row.system === system && row.threads === 1)
  const [ours, theirs] = [of('sluice'), of('langgraph')]
  return {
    time: rounded((ours?.overhead_ms ?? Number.NaN) / (theirs?.overhead_ms ?? Number.NaN)),
    cpu: rounded((ours?.overhead_cpu_ms ?? Number.NaN) / (theirs?.overhead_cpu_ms ?? Number.NaN)),
  }
}

async function startModel(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'model.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  return { url, stop: () => void child.kill() }
}

/** `--turns N` of one thread, `--threads N` at once with `--each N` turns, `--rounds N` make it shorter. */
export const bench: Bench<AgentReport> = {
  needsPeers: true,

  async run(options) {
    const number = (name: string, otherwise: number) => Number(valuesOf(options, name)[0] ?? otherwise)
    const { url, stop } = await startModel()
    try {
      const alone = await measureAll(url, 1, number('--turns', 60), number('--rounds', 3))
      const crowd = await measureAll(url, number('--threads', 100), number('--each', 10), number('--rounds', 2))
      const rows = [...alone, ...crowd]
      const versions = Object.fromEntries(PEERS.map((name) => [name, peerVersion(name)]))
      const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
      return {
        bench: 'agent',
        rows,
        ratio: ratioOf(rows),
        load,
        versions: { node: process.versions.node, ...versions },
      }
    } finally {
      stop()
    }
  },

  table({ rows, ratio, load }) {
    return [
      `turns of three model requests and one tool call; load average ${load}`,
      columns([
        ['system', 'threads', 'turns/s', 'p50 ms', 'beyond the model ms', 'CPU ms', 'heap MB half', 'end', 'faults'],
        ...rows.map((row) => [
          row.system,
          row.threads,
          row.turns_s,
          row.p50_ms,
          row.overhead_ms,
          row.cpu_ms,
          ...row.heap_mb,
          row.system === 'sluice' ? row.faults.length : '-',
        ]),
      ]),
      `beyond the model, one thread: ${ratio.time} × LangGraph's time, ${ratio.cpu} × its CPU`,
      ...rows.flatMap(({ faults }) => faults.slice(0, 5)),
    ].join('\n')
  },
}
