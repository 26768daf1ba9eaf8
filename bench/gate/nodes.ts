import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChildProcess } from 'node:child_process'
import { columns, complaint, quantile, valuesOf } from '../bench.ts'
import { databaseUrl } from '../runs/postgres-systems.ts'
import { startBenchPostgres } from '../runs/start-postgres.ts'
import { cpuOf } from './cpu.ts'
import { openLoad, type Load } from './open-load.ts'
import { keyOf, startGate, startToolServer, stop } from './systems.ts'

/** What more nodes on one Postgres bring, and how long a decision at one node takes to reach a call that waits at another. */

type NodesRow = {
  readonly nodes: number
  readonly concurrency: number
  readonly calls_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Of all nodes together, per call. */
  readonly cpu_us: number
}
type Resumed = {
  readonly p50_ms: number
  readonly p95_ms: number
  /** Where the time goes, as medians: they need not add up. */
  readonly parts: Readonly<Record<Part, number>>
}
/**
 * `decide`: until the decision is made, before it is stored. `start`: its commit, the wake-up and the recheck, until the start is
 * made. `execute`: the start's commit and the tool. `answer`: the outcome's commit, the notice to the node where somebody waits, and
 * their answer.
 */
const PARTS = ['decide', 'start', 'execute', 'answer'] as const
type Part = (typeof PARTS)[number]
export type NodesReport = {
  readonly bench: 'gate'
  readonly store: 'postgres'
  readonly rows: readonly NodesRow[]
  /** Calls per second of three nodes over those of one, by concurrency. */
  readonly three_over_one: Readonly<Record<number, number>>
  /** From the decision's request to the answer to the waiting caller: decided at the same node, and at another node. */
  readonly signal: {
    readonly same: Resumed
    readonly other: Resumed
    readonly ratio: number
    readonly added_p50_ms: number
  }
  readonly cores: number
  readonly load: number
}

type Node = { readonly child: ChildProcess; readonly address: string; readonly folder: string; readonly load: Load }
type Cluster = { readonly nodes: readonly Node[]; readonly agent: string; readonly approver: string }

const COUNTS = [1, 3] as const
const CONCURRENCY = [12, 48] as const
const HELD = { id: 'held', effect: 'ask', match: { tool: 'bench__echo' }, when: 'args.text == "held"', says: 'asked' }

export async function measureNodes(options: readonly string[]): Promise<NodesReport> {
  const quick = options.includes('--quick')
  const number = (name: string, usual: number) => Number(valuesOf(options, name)[0] ?? usual)
  const [rounds, ms] = [number('--rounds', quick ? 1 : 3), number('--seconds', quick ? 1 : 3) * 1000]
  const signals = number('--signals', quick ? 10 : 100)
  const postgres = await startBenchPostgres()
  if (postgres === undefined) throw complaint('there is no Postgres for this machine')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-nodes-'))
  const server = await startToolServer(folder)
  const clusters: Cluster[] = []
  try {
    for (const count of COUNTS) clusters.push(await startCluster(join(folder, `of-${count}`), count, server.url))
    for (const cluster of clusters) await loadAll(cluster, 48, quick ? 1_000 : 8_000)
    const cells = CONCURRENCY.flatMap((concurrency) =>
      clusters.map((cluster) => ({ cluster, concurrency, samples: [] as Sample[] })),
    )
    for (let round = 0; round < rounds; round += 1) {
      for (const cell of round % 2 === 0 ? cells : cells.toReversed())
        cell.samples.push(await loadAll(cell.cluster, cell.concurrency, ms))
      console.error(`round ${round + 1} of ${rounds}`)
    }
    const rows = cells.map(({ cluster, concurrency, samples }) => rowOf(cluster.nodes.length, concurrency, samples))
    const speed = (nodes: number, concurrency: number) =>
      rows.find((row) => row.nodes === nodes && row.concurrency === concurrency)?.calls_s ?? Number.NaN
    const three_over_one = Object.fromEntries(
      CONCURRENCY.map((concurrency) => [concurrency, rounded(speed(3, concurrency) / speed(1, concurrency), 2)]),
    )
    const signal = await measureSignals(clusters.at(-1) as Cluster, signals)
    const load = rounded(loadavg()[0] ?? 0, 1)
    return { bench: 'gate', store: 'postgres', rows, three_over_one, signal, cores: availableParallelism(), load }
  } finally {
    for (const { nodes } of clusters)
      for (const { child, load } of nodes) {
        load.child.kill()
        await stop(child)
      }
    await stop(server.child)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startCluster(folder: string, count: number, url: string): Promise<Cluster> {
  const store = { postgres: databaseUrl(), schema: `nodes_${count}` }
  const first = join(folder, 'node-0')
  const started: Omit<Node, 'load'>[] = []
  for (let index = 0; index < count; index += 1) {
    const own = join(folder, `node-${index}`)
    mkdirSync(join(own, '.sluice'), { recursive: true, mode: 0o700 })
    if (index > 0) cpSync(join(first, '.sluice', 'keys'), join(own, '.sluice', 'keys'), { recursive: true })
    started.push({
      ...(await startGate({ upstream: 'http', url, folder: own }, { store, rules: [HELD] })),
      folder: own,
    })
  }
  const [agent, approver] = [keyOf(first, 'agent', 'bench'), keyOf(first, 'approver', 'bob')]
  const nodes: Node[] = []
  for (const node of started) {
    const load = openLoad()
    const target = { speaks: 'http' as const, url: `${node.address}/mcp`, tool: 'bench__echo', key: agent }
    await load.send({ order: 'open', system: 'sluice', target })
    nodes.push({ ...node, load })
  }
  console.error(`${count} ${count === 1 ? 'node is' : 'nodes are'} up`)
  return { nodes, agent, approver }
}

type Sample = { readonly calls_s: number; readonly us: readonly number[]; readonly cpu_us: number }

/** All nodes at once, each with its share. */
async function loadAll({ nodes }: Cluster, concurrency: number, ms: number): Promise<Sample> {
  const cpu = () => nodes.reduce((sum, { child }) => sum + cpuOf(child.pid ?? 0), 0)
  const before = cpu()
  const replies = await Promise.all(
    nodes.map(({ load }) =>
      load.send({ order: 'load', system: 'sluice', concurrency: concurrency / nodes.length, ms }),
    ),
  )
  const loaded = replies.flatMap((one) => (one.is === 'loaded' ? [one] : []))
  return {
    calls_s: loaded.reduce((sum, { us, ms: took }) => sum + (us.length / took) * 1000, 0),
    us: loaded.flatMap(({ us }) => us),
    cpu_us: cpu() - before,
  }
}

function rowOf(nodes: number, concurrency: number, samples: readonly Sample[]): NodesRow {
  const us = samples.flatMap((sample) => sample.us).toSorted((a, b) => a - b)
  const speeds = samples.map(({ calls_s }) => calls_s).toSorted((a, b) => a - b)
  return {
    nodes,
    concurrency,
    calls_s: Math.round(quantile(speeds, 0.5)),
    p50_ms: rounded(quantile(us, 0.5) / 1000, 2),
    p99_ms: rounded(quantile(us, 0.99) / 1000, 2),
    cpu_us: Math.round(samples.reduce((sum, { cpu_us }) => sum + cpu_us, 0) / us.length),
  }
}

/** Held calls one after the other; each is decided at the node where somebody waits for it, the next one at another node. */
async function measureSignals({ nodes, agent, approver }: Cluster, count: number): Promise<NodesReport['signal']> {
  const [here, there] = [nodes[0], nodes[1]]
  if (here === undefined || there === undefined) throw new Error('two nodes are needed')
  const times = { same: [] as Signal[], other: [] as Signal[] }
  for (let nth = 0; nth < 2 * count; nth += 1) {
    const [where, decider] = nth % 2 === 0 ? (['same', here] as const) : (['other', there] as const)
    const args = { text: 'held', number: nth }
    const held = await ask(here, agent, 'POST', '/v1/calls', { tool: 'bench__echo', args })
    const path = `/v1/approvals/${String(held['approval_id'])}`
    const { digest } = await ask(decider, approver, 'GET', path)
    const waiting = ask(here, agent, 'GET', `/v1/calls/${String(held['call_id'])}?wait_ms=30000`)
    // The waiting request has arrived before the decision is sent.
    await ask(here, agent, 'GET', `/v1/calls/${String(held['call_id'])}`)
    const sent = performance.now()
    const deciding = ask(decider, approver, 'POST', `${path}/decide`, { decision: 'approve', digest })
    const ended = await waiting
    const answered = performance.now()
    await deciding
    if (ended['status'] !== 'executed') throw new Error(`the call ended otherwise: ${JSON.stringify(ended)}`)
    const life = await ask(here, approver, 'GET', `/v1/calls/${String(held['call_id'])}/life`)
    times[where].push({ ms: answered - sent, parts: partsOf(sent, life, answered) })
  }
  const [same, other] = [resumedOf(times.same), resumedOf(times.other)]
  return {
    same,
    other,
    ratio: rounded(other.p50_ms / same.p50_ms, 2),
    added_p50_ms: rounded(other.p50_ms - same.p50_ms, 2),
  }
}

type Signal = { readonly ms: number; readonly parts: Readonly<Record<Part, number>> }

/** From what the call's own record says. All nodes are on this machine, so there is one clock. */
function partsOf(sent: number, life: Readonly<Record<string, unknown>>, answered: number): Signal['parts'] {
  const moments = life['moments'] as readonly { readonly is: string; readonly at: number }[]
  const at = (is: string) => moments.find((moment) => moment.is === is)?.at ?? Number.NaN
  const [decided, started, ended] = [at('approved'), at('started'), at('ended')]
  return {
    decide: decided - (performance.timeOrigin + sent),
    start: started - decided,
    execute: ended - started,
    answer: performance.timeOrigin + answered - ended,
  }
}

function resumedOf(signals: readonly Signal[]): Resumed {
  const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
  const times = sorted(signals.map(({ ms }) => ms))
  const median = (part: Part) => rounded(quantile(sorted(signals.map(({ parts }) => parts[part])), 0.5), 1)
  return {
    p50_ms: rounded(quantile(times, 0.5), 2),
    p95_ms: rounded(quantile(times, 0.95), 2),
    parts: Object.fromEntries(PARTS.map((part) => [part, median(part)])) as Record<Part, number>,
  }
}

async function ask(
  node: Node,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${node.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Record<string, unknown>
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

export function nodesTable({ rows, three_over_one, signal, cores, load }: NodesReport): string {
  const head = ['nodes', 'at once', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs']
  const lines = rows.map((row) => [row.nodes, row.concurrency, row.calls_s, row.p50_ms, row.p99_ms, row.cpu_us])
  const ratios = Object.entries(three_over_one).map(([concurrency, ratio]) => `${ratio} x at ${concurrency}`)
  return [
    `nodes on one Postgres; ${cores} cores, load average ${load}`,
    columns([head, ...lines]),
    `three nodes over one: ${ratios.join(', ')}`,
    partsTable(signal),
    `decision to answer: ${signal.same.p50_ms} ms at the same node (p95 ${signal.same.p95_ms}), ${signal.other.p50_ms} ms at another (p95 ${signal.other.p95_ms}): ${signal.ratio} x`,
  ].join('\n\n')
}

function partsTable({ same, other }: NodesReport['signal']): string {
  const row = (where: string, { parts }: Resumed) => [where, ...PARTS.map((part) => parts[part])]
  return columns([
    ['from decision to answer, ms', ...PARTS],
    row('at the same node', same),
    row('at another node', other),
  ])
}
