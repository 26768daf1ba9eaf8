import { closeSync, fdatasyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { columns, quantile, valuesOf, type Bench } from '../bench.ts'
import { allocatedBy } from './allocated.ts'
import { usedBy as usedByProcess, type Used } from './cpu.ts'
import { measureHeld, type HeldRow } from './held.ts'
import { measureNodes, nodesTable, type NodesReport } from './nodes.ts'
import { openLoad, PATIENCE_MS, type Load } from './open-load.ts'
import { peerVersion } from './peers.ts'
import {
  isOurs,
  reaches,
  STARTS,
  startToolServer,
  stop,
  SYSTEMS,
  UPSTREAMS,
  type Running,
  type System,
  type Upstream,
} from './systems.ts'

/**
 * What a gated and durably audited call costs, compared to the same call made directly, through a bare proxy and through other
 * gateways.
 */

type Row = {
  readonly upstream: Upstream
  readonly concurrency: number
  readonly system: System
  readonly calls_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Of the gateway's processes, per call; 0 where there is no gateway. */
  readonly cpu_us: number
  /** How often a thread of them goes to sleep per call, to wait for another thread, the network or the disk. */
  readonly switches: number
  /** Allocated by the gateway's own process, in all its threads, per call; 0 where there is no gateway. */
  readonly allocated_kb: number
}
type Ratio = Pick<Row, 'upstream' | 'concurrency'> & {
  /** Sluice's calls per second over those of each other system, as the median of the rounds. */
  readonly calls: Partial<Record<System, number>>
  /** What Sluice's p50 adds to that of the direct call, in ms. */
  readonly added_p50_ms: number
}
export type GateReport = {
  readonly bench: 'gate'
  readonly rows: readonly Row[]
  readonly ratios: readonly Ratio[]
  /** Calls that are held, approved and then executed. */
  readonly held: readonly HeldRow[]
  /** One append of 4 KB and its fdatasync, where the ledger is kept. A call waits for two: its intent and its outcome; a declared read for one. */
  readonly fsync_ms: number
  readonly versions: Readonly<Record<string, string>>
}

const CONCURRENCY = [1, 16, 64]

type Plan = {
  readonly systems: readonly System[]
  readonly upstreams: readonly Upstream[]
  readonly concurrency: readonly number[]
  readonly rounds: number
  readonly ms: number
  readonly warm_calls: number
  readonly warm_ms: number
}
type Sample = {
  readonly round: number
  readonly ms: number
  readonly us: readonly number[]
  readonly cpu_us: number
  readonly switches: number
  readonly allocated: number
}
type Cell = Pick<Row, 'upstream' | 'concurrency' | 'system'> & { readonly samples: Sample[] }

function planOf(options: readonly string[]): Plan {
  const quick = options.includes('--quick')
  const chosen = <T extends string>(name: string, all: readonly T[]): readonly T[] => {
    const wanted = valuesOf(options, name).flatMap((value) => value.split(','))
    const unknown = wanted.filter((value) => !all.some((one) => one === value))
    if (unknown.length > 0) throw new Error(`${name} takes some of ${all.join(',')}, not ${unknown.join(',')}`)
    return wanted.length === 0 ? all : all.filter((one) => wanted.includes(one))
  }
  const number = (name: string, usual: number): number => {
    const given = Number(valuesOf(options, name)[0] ?? usual)
    if (!(given > 0)) throw new Error(`${name} takes a number above 0`)
    return given
  }
  return {
    systems: chosen('--systems', SYSTEMS),
    upstreams: chosen('--upstreams', UPSTREAMS),
    concurrency: chosen('--concurrency', CONCURRENCY.map(String)).map(Number),
    rounds: Math.ceil(number('--rounds', quick ? 1 : 3)),
    ms: number('--seconds', quick ? 0.5 : 1.3) * 1000,
    // Compiling what a call runs through takes V8 some 40,000 calls.
    warm_calls: quick ? 1000 : 40_000,
    warm_ms: quick ? 2000 : 60_000,
  }
}

/** A held call needs four requests, so lower concurrency is sufficient. */
const heldPlanOf = ({ ms, warm_ms }: Plan) => ({ concurrency: [1, 16], ms: ms * 3, warm_ms: Math.min(warm_ms, 5_000) })

/** Some gateways listen before their tools are available. */
async function openWhenReady(load: Load, system: System, { target }: Running): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      await load.send({ order: 'open', system, target })
      return
    } catch (error) {
      if (performance.now() > until) throw new Error(`${system} cannot be measured`, { cause: error })
      await sleep(200)
    }
  }
}

/** A session that has read more than the gate remembers has its calls held, so each measurement is a session of its own. */
async function renewSession(load: Load, system: System, { target }: Running): Promise<void> {
  if (isOurs(system)) await load.send({ order: 'open', system, target })
}

/** Warms up until V8 has optimized the code. The time is limited, because a busy machine may take longer. */
async function warmUp(load: Load, system: System, running: Running, { warm_calls, warm_ms }: Plan): Promise<void> {
  const until = performance.now() + warm_ms
  for (let calls = 0; calls < warm_calls && performance.now() < until;) {
    await renewSession(load, system, running)
    const loaded = await load.send({ order: 'load', system, concurrency: 16, ms: 250 })
    if (loaded.is === 'loaded') calls += loaded.us.length
  }
}

async function measureOne(load: Load, cell: Cell, running: Running, ms: number, round: number): Promise<void> {
  const { system, concurrency } = cell
  await renewSession(load, system, running)
  const before = await usedBy(running)
  const loaded = await load.send({ order: 'load', system, concurrency, ms })
  if (loaded.is !== 'loaded') throw new Error('the load generator did not answer with figures')
  const after = await usedBy(running)
  cell.samples.push({
    round,
    ms: loaded.ms,
    us: loaded.us,
    cpu_us: after.us - before.us,
    switches: after.switches - before.switches,
    allocated: after.allocated - before.allocated,
  })
}

async function usedBy({ child, folder }: Running): Promise<Used & { readonly allocated: number }> {
  if (child?.pid === undefined) return { us: 0, switches: 0, allocated: 0 }
  return { allocated: folder === undefined ? 0 : await allocatedBy(child, folder), ...usedByProcess(child.pid) }
}

async function measureUpstream(plan: Plan, upstream: Upstream, folder: string): Promise<Cell[]> {
  const load = openLoad()
  const server = await startToolServer(folder)
  const running = new Map<System, Running>()
  try {
    for (const system of plan.systems.filter((one) => reaches(one, upstream))) {
      const own = join(folder, `${upstream}-${system}`)
      mkdirSync(own)
      const started = await STARTS[system]({ upstream, url: server.url, folder: own })
      running.set(system, started)
      await openWhenReady(load, system, started)
      await warmUp(load, system, started, plan)
      console.error(`${upstream}: ${system} is warm`)
    }
    const systems = [...running.keys()]
    const cells = plan.concurrency.flatMap((concurrency) =>
      systems.map((system): Cell => ({ upstream, concurrency, system, samples: [] })),
    )
    // All systems are measured in every round, each round in another order, so that a busy moment affects all of them.
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const cell of round % 2 === 0 ? cells : cells.toReversed()) {
        await measureOne(load, cell, running.get(cell.system) as Running, plan.ms, round)
      }
      console.error(`${upstream}: round ${round + 1} of ${plan.rounds}`)
    }
    return cells
  } finally {
    load.child.kill()
    await Promise.all([...running.values()].map(async ({ child }) => (child === undefined ? undefined : stop(child))))
    await stop(server.child)
  }
}

const speed = ({ us, ms }: Sample): number => (us.length / ms) * 1000
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
const median = (values: readonly number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  )

function rowOf({ samples, ...what }: Cell): Row {
  const sorted = samples.flatMap(({ us }) => us).sort((a, b) => a - b)
  const perCall = (figure: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + figure(sample), 0) / sorted.length
  return {
    ...what,
    calls_s: Math.round(median(samples.map(speed))),
    p50_ms: rounded(quantile(sorted, 0.5) / 1000, 3),
    p99_ms: rounded(quantile(sorted, 0.99) / 1000, 3),
    cpu_us: rounded(
      perCall(({ cpu_us }) => cpu_us),
      1,
    ),
    switches: rounded(
      perCall(({ switches }) => switches),
      2,
    ),
    allocated_kb: rounded(perCall(({ allocated }) => allocated) / 1024, 1),
  }
}

/** Compared within the same round, because the machine's load may differ in the next round. */
function ratioOf(ours: Cell, cells: readonly Cell[]): Ratio {
  const { upstream, concurrency } = ours
  const beside = cells.filter((cell) => cell.upstream === upstream && cell.concurrency === concurrency && cell !== ours)
  const calls = beside.map(({ system, samples }) => {
    const each = ours.samples.map((sample, round) => speed(sample) / speed(samples[round] as Sample))
    return [system, rounded(median(each), 3)]
  })
  const direct = beside.find(({ system }) => system === 'direct')
  const added = direct === undefined ? Number.NaN : rowOf(ours).p50_ms - rowOf(direct).p50_ms
  return { upstream, concurrency, calls: Object.fromEntries(calls) as Ratio['calls'], added_p50_ms: rounded(added, 3) }
}

/** The time that the disk needs for the smallest durable write. */
function measureFsync(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'a')
  const page = Buffer.alloc(4096, 1)
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  return rounded(median(times), 3)
}

function versionsOf(systems: readonly System[]): Record<string, string> {
  const peers = systems.filter((system) => ['mcp-hub', 'mcp-proxy', 'supergateway', 'executor'].includes(system))
  const parts = ['@modelcontextprotocol/server', '@modelcontextprotocol/client', '@modelcontextprotocol/node', 'undici']
  return {
    node: process.versions.node,
    ...Object.fromEntries([...peers, ...parts].map((name) => [name, peerVersion(name)])),
  }
}

/** `--store postgres`: one node and three on one database, instead of the comparison with other gateways. */
export const bench: Bench<GateReport | NodesReport> = {
  needsPeers: true,
  async run(options) {
    if (valuesOf(options, '--store')[0] === 'postgres') return measureNodes(options)
    const plan = planOf(options)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-gate-'))
    try {
      const versions = versionsOf(plan.systems)
      console.error(`versions: ${JSON.stringify(versions)}`)
      const absent = plan.systems.filter((system) => plan.upstreams.some((upstream) => !reaches(system, upstream)))
      if (absent.length > 0) console.error(`left out over http: ${absent.join(', ')} only reach servers over stdio`)
      const fsync_ms = measureFsync(folder)
      const cells: Cell[] = []
      for (const upstream of plan.upstreams) cells.push(...(await measureUpstream(plan, upstream, folder)))
      const ours = cells.filter(({ system }) => system === 'sluice')
      const ratios = ours.map((cell) => ratioOf(cell, cells))
      const held = plan.systems.includes('executor') ? await measureHeld(folder, heldPlanOf(plan)) : []
      return { bench: 'gate', rows: cells.map(rowOf), ratios, held, fsync_ms, versions }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },

  table(report) {
    if ('store' in report) return nodesTable(report)
    const { rows, ratios, held, fsync_ms } = report
    const ratio = ({ upstream, concurrency, system }: Row): string => {
      const found = ratios.find((one) => one.upstream === upstream && one.concurrency === concurrency)?.calls[system]
      return found === undefined ? '' : `${found.toFixed(2)} x`
    }
    const lines = rows.map((row) => [
      row.upstream,
      row.concurrency,
      row.system,
      row.calls_s,
      row.p50_ms.toFixed(2),
      row.p99_ms.toFixed(2),
      row.cpu_us.toFixed(0),
      row.switches.toFixed(1),
      row.allocated_kb.toFixed(1),
      ratio(row),
    ])
    const head = [
      'upstream',
      'concurrency',
      'system',
      'calls/s',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'switches',
      'KB',
      'sluice / it',
    ]
    const heldLines = held.map((row) => [
      row.way,
      row.concurrency,
      row.system,
      row.calls_s,
      row.p50_ms.toFixed(2),
      row.p99_ms.toFixed(2),
      row.cpu_us.toFixed(0),
    ])
    const heldHead = ['held, over', 'concurrency', 'system', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs']
    const approved = held.length === 0 ? '' : `\n\n${columns([heldHead, ...heldLines])}`
    return `${columns([head, ...lines])}${approved}\n\none fsync takes ${fsync_ms} ms here; a call waits for two, a declared read for one`
  },
}
