import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../server/src/main/load-config.ts'
import { columns, quantile, valuesOf, type Bench } from '../bench.ts'
import { growActivity } from './activity.ts'
import { withCalls, withEntries } from './build-data.ts'
import { growFlowRuns } from './flow-runs.ts'
import { packInto } from './pack.ts'
import { memoryOfNode, runGate, type Memory, type RunningGate } from './running-gate.ts'

/** Whether the same gated call costs more when much has happened, much is configured, or much waits. */

type Size = { readonly entries?: number; readonly tools?: number; readonly rules?: number; readonly pending?: number }
type Row = {
  readonly what: string
  readonly from: number
  readonly to: number
  /** The median call's time at `to` over that at `from`; of memory and start, the values themselves. */
  readonly ratio: number
} & Readonly<Record<string, number | string>>
type Rest = { readonly start_ms: number; readonly idle_rss_mb: number; readonly idle: Memory }
export type GrowthReport = {
  readonly bench: 'growth'
  readonly rows: readonly Row[]
  /** Of the smallest gate run from its sources, from the start of its process to its first answer. */
  readonly start_ms: number
  readonly idle_rss_mb: number
  /** The same of the package as it is published. */
  readonly package: Rest
  /** The package with the most tools. */
  readonly package_many_tools: Rest
  /** A Node that runs nothing: no gate can be smaller. */
  readonly node: Memory
  readonly most_rss_mb: number
}

const SMALL = { entries: 1_000, tools: 10, rules: 10, pending: 0 } as const
/** By then a gate has released the memory of its start. */
const IDLE_MS = 5_000
const WARM_UP = 300
const ROUNDS = 50
const PER_ROUND = 10
const MATCHING = 3
const FEW_RUNS = 1_000
/** More than a page looks at for words, so that both sizes do the same work. */
const FEW_CALLS = 10_000
const MANY_RUNS = 100_000

/** `echo` is allowed by few rules, everything else is held. */
function policyOf(rules: number) {
  const rule = (index: number) => ({
    id: `r${index}`,
    effect: 'allow',
    match: { tool: index < MATCHING ? 'many__echo' : `many__*_${index}` },
    says: `rule ${index}`,
  })
  return { rules: Array.from({ length: rules }, (_, index) => rule(index)) }
}

async function prepare(folder: string, size: Size): Promise<string> {
  const { entries, tools, rules, pending } = { ...SMALL, ...size }
  mkdirSync(folder)
  const many = { command: 'node', args: [join(import.meta.dirname, 'many-tools.ts'), String(tools)] }
  const config = {
    listen: { port: 0 },
    servers: { many },
    policy: policyOf(rules),
    approvals: { pending_per_caller: 1_000_000, pending_bytes_per_caller: 1_000_000_000 },
  }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  const loaded = loadConfig(join(folder, 'sluice.yaml'), true)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
  // What waits is the first other tool; it is held, whatever it is called.
  if (pending > 0) await withCalls(loaded.value, pending, 'many__list_invoice_1')
  await withCalls(loaded.value, 1, 'many__echo')
  await withEntries(loaded.value.data, entries)
  // A gate signs its audit as it grows and when it stops.
  writeFileSync(join(folder, 'agent.key'), await withCalls(loaded.value, 0, 'many__echo'))
  return folder
}

type Measured = { readonly p50_ms: number; readonly cpu_us: number }

/** Two gates that have run equally long, a few calls each in turn, so that other load on the machine affects both. */
async function compare(small: RunningGate, large: RunningGate): Promise<{ small: Measured; large: Measured }> {
  const gates = [small, large] as const
  const agents = [await small.connect(), await large.connect()] as const
  for (const agent of agents) for (let call = 0; call < WARM_UP; call += 1) await agent.call()
  const times: [number[], number[]] = [[], []]
  const cpu = gates.map((gate) => gate.cpu())
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, agent] of agents.entries())
      for (let call = 0; call < PER_ROUND; call += 1) times[index as 0 | 1].push(await agent.call())
  }
  for (const agent of agents) agent.close()
  const measured = (index: 0 | 1): Measured => ({
    p50_ms: round(
      quantile(
        [...times[index]].sort((a, b) => a - b),
        0.5,
      ),
    ),
    cpu_us: Math.round((gates[index].cpu() - (cpu[index] ?? 0)) / (ROUNDS * PER_ROUND)),
  })
  return { small: measured(0), large: measured(1) }
}

/** The second of two starts: the first one compiles and fills the compile cache. */
async function restOf(folder: string, launcher?: string): Promise<Rest> {
  await (await runGate(folder, 'many__echo', launcher)).stop()
  const gate = await runGate(folder, 'many__echo', launcher)
  await sleep(IDLE_MS)
  const idle = gate.memory()
  await gate.stop()
  return { start_ms: Math.round(gate.first_call_ms), idle_rss_mb: idle.rss, idle }
}

const round = (value: number) => Math.round(value * 1000) / 1000
const ratio = (to: number, from: number) => Math.round((to / from) * 100) / 100

async function run(options: readonly string[]): Promise<GrowthReport> {
  const entries = Number(valuesOf(options, '--entries')[0] ?? 1_000_000)
  const LARGE = { entries, tools: 10_000, rules: 1_000, pending: 10_000 } as const
  const root = mkdtempSync(join(tmpdir(), 'sluice-growth-'))
  const say = (text: string) => process.stderr.write(`${text}\n`)
  try {
    const small = await prepare(join(root, 'small'), {})
    const fromSource = await restOf(small)
    const launcher = packInto(join(root, 'package'))
    const packaged = await restOf(small, launcher)
    const node = await memoryOfNode()
    say(JSON.stringify({ source: fromSource, package: packaged, node }))
    const rows: Row[] = []
    let most = 0
    let package_many_tools = packaged
    for (const what of ['entries', 'tools', 'rules', 'pending'] as const) {
      const begun = performance.now()
      const folder = await prepare(join(root, what), { [what]: LARGE[what] })
      say(`${what}: ${LARGE[what]} built in ${Math.round((performance.now() - begun) / 1000)} s`)
      if (what === 'tools') package_many_tools = await restOf(folder, launcher)
      const calm = await runGate(small, 'many__echo')
      const grown = await runGate(folder, 'many__echo')
      const measured = await compare(calm, grown)
      await calm.stop()
      most = Math.max(most, grown.memory().rss)
      rows.push({
        what: WORDS[what],
        from: SMALL[what],
        to: LARGE[what],
        ratio: ratio(measured.large.p50_ms, measured.small.p50_ms),
        from_p50_ms: measured.small.p50_ms,
        to_p50_ms: measured.large.p50_ms,
        from_cpu_us: measured.small.cpu_us,
        to_cpu_us: measured.large.cpu_us,
        rss_mb: grown.memory().rss,
        start_ms: Math.round(grown.first_call_ms),
        ...(what === 'rules' ? { matching: MATCHING } : {}),
      })
      say(JSON.stringify(rows.at(-1)))
      await grown.stop()
      rmSync(folder, { recursive: true, force: true })
    }
    rows.push(...(await growActivity(root, FEW_CALLS, Math.max(entries, FEW_CALLS))))
    rows.push(...(await growFlowRuns(root, FEW_RUNS, MANY_RUNS)))
    const { start_ms, idle_rss_mb } = fromSource
    return {
      bench: 'growth',
      rows,
      start_ms,
      idle_rss_mb,
      package: packaged,
      package_many_tools,
      node,
      most_rss_mb: most,
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const WORDS = {
  entries: 'audit entries',
  tools: 'tools',
  rules: 'rules',
  pending: 'pending approvals',
} as const

const memoryText = ({ rss, anon, file, pss }: Memory) => `${rss} MB (${anon} own, ${file} of files; PSS ${pss})`

function table({ rows, start_ms, idle_rss_mb, most_rss_mb, ...packages }: GrowthReport): string {
  const head = ['what', 'from', 'to', 'p50 ms', 'p50 ms', 'ratio', 'CPU µs', 'CPU µs', 'MB', 'first call ms']
  const lines = rows.map((row) => [
    row.what === WORDS.rules ? `rules (${MATCHING} match)` : row.what,
    row.from,
    row.to,
    row['from_p50_ms'] ?? '',
    row['to_p50_ms'] ?? '',
    row.ratio,
    row['from_cpu_us'] ?? '',
    row['to_cpu_us'] ?? '',
    row['rss_mb'] ?? '',
    row['start_ms'] ?? '',
  ])
  return [
    columns([head, ...lines]),
    '',
    `from its sources: start to first call ${start_ms} ms, idle ${idle_rss_mb} MB, at most ${most_rss_mb} MB`,
    `as published: start to first call ${packages.package.start_ms} ms, idle ${memoryText(packages.package.idle)}`,
    `as published, with the most tools: idle ${memoryText(packages.package_many_tools.idle)}`,
    `a Node that runs nothing: ${memoryText(packages.node)}`,
  ].join('\n')
}

export const bench: Bench<GrowthReport> = { run, table }
