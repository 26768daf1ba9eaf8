import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { columns, valuesOf, type Bench } from '../bench.ts'
import { peerVersion } from '../gate/peers.ts'
import { isPostgresThere, startBenchPostgres } from './start-postgres.ts'
import type { Parked, Woken } from './parked.ts'
import { STEPS } from './system.ts'

/** How many durable runs per second, and what a parked run costs. */

const EMBEDDED = ['sluice', 'langgraph', 'restate'] as const
const ON_POSTGRES = ['sluice on postgres', 'langgraph on postgres', 'dbos', 'graphile-worker'] as const
const SYSTEMS = [...EMBEDDED, ...ON_POSTGRES] as const
const OURS: readonly System[] = ['sluice', 'sluice on postgres']
type System = (typeof SYSTEMS)[number]
const CONCURRENCY = [1, 50] as const
const PEERS = [
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
  '@restatedev/restate-sdk',
  '@restatedev/restate-server',
  '@langchain/langgraph-checkpoint-postgres',
  '@dbos-inc/dbos-sdk',
  'graphile-worker',
]

type Row = {
  readonly system: System
  readonly store: string
  readonly concurrency: number
  readonly runs_s: number
  readonly p50_ms: number
}
export type RunsReport = {
  readonly bench: 'runs'
  readonly steps: number
  readonly rows: readonly Row[]
  /** Systems that could not be measured, and why. */
  readonly left_out: readonly { readonly system: System; readonly says: string }[]
  readonly parked: Parked & Woken & { readonly runs: number }
  /** The load average of the last minute. */
  readonly load: number
  readonly versions: Readonly<Record<string, string>>
}

const inProcess = promisify(execFile)

async function outputOf<Output>(file: string, ...args: string[]): Promise<Output> {
  const { stdout } = await inProcess(process.execPath, ['--expose-gc', join(import.meta.dirname, file), ...args])
  return JSON.parse(stdout) as Output
}

/** All rows of all systems. In each round the systems take turns, so that a busy moment affects all of them; the best round counts. */
async function measureAll(ms: number, rounds: number): Promise<Pick<RunsReport, 'rows' | 'left_out'>> {
  const best = new Map<string, Row>()
  const left_out = new Map<System, string>()
  for (const concurrency of CONCURRENCY)
    for (let round = 0; round < rounds; round += 1)
      for (const system of SYSTEMS) {
        if (left_out.has(system)) continue
        try {
          const row = await measure(system, concurrency, ms)
          const key = `${system} ${concurrency}`
          if (row.runs_s > (best.get(key)?.runs_s ?? 0)) best.set(key, row)
        } catch (error) {
          if (system === 'sluice' || (OURS.includes(system) && isPostgresThere())) throw error
          const says = reasonOf(error)
          console.error(`${system} is left out: ${says}`)
          left_out.set(system, says)
        }
      }
  const rows = [...best.values()].toSorted((a, b) => SYSTEMS.indexOf(a.system) - SYSTEMS.indexOf(b.system))
  return { rows, left_out: [...left_out].map(([system, says]) => ({ system, says })) }
}

/** The error line of a failed process, without the stack trace. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return said.split('\n').find((line) => /^\w*Error\b/.test(line)) ?? said.slice(0, 200)
}

async function measure(system: System, concurrency: number, ms: number): Promise<Row> {
  const measured = await outputOf<Pick<Row, 'store' | 'runs_s' | 'p50_ms'>>(
    'one-system.ts',
    system,
    String(concurrency),
    String(ms),
  )
  return { system, store: measured.store, concurrency, runs_s: measured.runs_s, p50_ms: measured.p50_ms }
}

async function measureParked(runs: number): Promise<RunsReport['parked']> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-parked-'))
  try {
    const parked = await outputOf<Parked>('parked.ts', 'park', folder, String(runs))
    const woken = await outputOf<Woken>('parked.ts', 'wake', folder)
    return { runs, ...parked, ...woken }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function versions(): Record<string, string> {
  const found = PEERS.flatMap((name) => {
    try {
      return [[name, peerVersion(name)]]
    } catch {
      return []
    }
  })
  return { node: process.versions.node, ...(Object.fromEntries(found) as Record<string, string>) }
}

/** `--ms N` for each measurement, `--rounds N`, `--parked N` make it shorter. */
export const bench: Bench<RunsReport> = {
  needsPeers: 'if available',

  async run(options) {
    const number = (name: string, otherwise: number) => Number(valuesOf(options, name)[0] ?? otherwise)
    const postgres = await startBenchPostgres()
    const measured = await measureAll(number('--ms', 3_000), number('--rounds', 3))
    await postgres?.stop()
    const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
    const parked = await measureParked(number('--parked', 10_000))
    return { bench: 'runs', steps: STEPS, ...measured, parked, load, versions: versions() }
  },

  table({ rows, left_out, parked, load, steps }) {
    const { before, after } = parked
    return [
      `runs of ${steps} durable steps; load average ${load}`,
      columns([
        ['system', 'store', 'at once', 'runs/s', 'p50 ms'],
        ...rows.map((row) => [row.system, row.store, row.concurrency, row.runs_s, row.p50_ms]),
      ]),
      ...CONCURRENCY.flatMap((concurrency) => [
        `${concurrency} at once: ${ratio(rows, concurrency, EMBEDDED)}`,
        `${concurrency} at once on Postgres: ${ratio(rows, concurrency, ON_POSTGRES)}`,
      ]),
      ...left_out.map(({ system, says }) => `${system} is left out: ${says}`),
      '',
      `${parked.runs} parked runs`,
      columns([
        ['memory', 'RSS MB', 'heap MB'],
        ['with the first 1,000', before.rss_mb, before.heap_mb],
        ['with all', after.rss_mb, after.heap_mb],
        ['after a restart', parked.memory.rss_mb, parked.memory.heap_mb],
      ]),
      `restart ${parked.start_ms} ms; ${parked.ended} of ${parked.runs} woken by a signal and ended`,
      `signal to resume: p50 ${parked.resume_p50_ms} ms, p99 ${parked.resume_p99_ms} ms`,
      `two bare commits in between: p50 ${parked.commits_p50_ms} ms, p99 ${parked.commits_p99_ms} ms`,
    ].join('\n')
  },
}

function ratio(rows: readonly Row[], concurrency: number, among: readonly System[]): string {
  const here = rows.filter((row) => row.concurrency === concurrency && among.includes(row.system))
  const ours = here.find(({ system }) => OURS.includes(system))?.runs_s ?? Number.NaN
  const others = here.filter(({ system }) => !OURS.includes(system)).map(({ runs_s }) => runs_s)
  if (others.length === 0) return 'nothing to compare with'
  return `${(ours / Math.max(...others)).toFixed(1)} × the fastest other`
}
