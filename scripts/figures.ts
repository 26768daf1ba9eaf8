import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'

/** Updates the tables in the docs from the latest bench results: `npm run bench -- gate`, then `npm run figures`. */
const root = resolve(import.meta.dirname, '..')

type GateRow = { upstream: string; concurrency: number; system: string; calls_s: number; cpu_us: number }
type Gate = { rows: GateRow[]; fsync_ms: number; versions: Record<string, string> }
type Growth = {
  rows: { what: string; from: number; to: number; ratio: number; rss_mb?: number }[]
  start_ms: number
  idle_rss_mb: number
  most_rss_mb: number
  package: { start_ms: number; idle_rss_mb: number }
}
type Search = {
  sets: {
    set: string
    tools: number
    queries: number
    systems: Record<string, { 'recall@5': number; p50_ms: number }>
  }[]
}
type Tokens = { rows: Record<string, string | number>[] }
type Policy = { rows: { system: string; rules: number; matching: number; us_p50: number }[] }
type Memory = { rss_mb: number; heap_mb: number }
type Runs = {
  rows: { system: string; store: string; concurrency: number; runs_s: number; p50_ms: number }[]
  parked: {
    runs: number
    before: Memory
    after: Memory
    memory: Memory
    start_ms: number
    ended: number
    resume_p50_ms: number
    resume_p99_ms: number
    commits_p50_ms: number
    commits_p99_ms: number
  }
  load: number
  versions: Record<string, string>
}
type Dlp = { sets: { set: string; systems: Record<string, { recall: number; fpr: number }> }[] }

const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const share = (value: number) => value.toFixed(3).replace(/^0/, '')
const rowsOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

function gate({ rows, fsync_ms, versions }: Gate): string {
  const systems = [...new Set(rows.map(({ system }) => system))]
  const places = [...new Set(rows.map(({ upstream, concurrency }) => `${upstream}, ${concurrency}`))]
  const cell = (place: string, system: string) => {
    const row = rows.find((each) => `${each.upstream}, ${each.concurrency}` === place && each.system === system)
    if (row === undefined) return ''
    return system === 'direct' ? whole(row.calls_s) : `${whole(row.calls_s)} (${whole(row.cpu_us)} µs)`
  }
  const body = places.map((place) => [place, ...systems.map((system) => cell(place, system))])
  const table = rowsOf(['upstream, at once', ...systems.map((system) => `\`${system}\``)], body)
  const with_ = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${table}\n\nOne fsync took ${fsync_ms} ms there. With ${with_.join(', ')}.`
}

function growth({ rows, start_ms, idle_rss_mb, most_rss_mb, package: published }: Growth): string {
  const body = rows.map(({ what, from, to, ratio, rss_mb }) => [
    what,
    whole(from),
    whole(to),
    `${ratio.toFixed(2)} ×`,
    rss_mb === undefined ? '' : `${whole(rss_mb)} MB`,
  ])
  const table = rowsOf(['what grows', 'from', 'to', 'the same takes', 'memory then'], body)
  const rest = `as published: start to first call ${published.start_ms} ms, idle ${published.idle_rss_mb} MB`
  return `${table}\n\nFrom its sources: start to first call ${start_ms} ms, idle ${idle_rss_mb} MB, at most ${most_rss_mb} MB; ${rest}.`
}

const memoryRow = (when: string, { rss_mb, heap_mb }: Memory): string[] => [
  when,
  `${whole(rss_mb)} MB`,
  `${heap_mb.toFixed(1)} MB`,
]

function runs({ rows, parked, load, versions }: Runs): string {
  const table = rowsOf(
    ['system', 'store', 'at once', 'runs per second', 'p50'],
    rows.map(({ system, store, concurrency, runs_s, p50_ms }) => [
      `\`${system}\``,
      store,
      String(concurrency),
      whole(runs_s),
      `${p50_ms.toFixed(1)} ms`,
    ]),
  )
  const memory = rowsOf(
    ['memory', 'resident', 'heap'],
    [
      memoryRow('with 1,000 parked runs', parked.before),
      memoryRow(`with ${whole(parked.runs)}`, parked.after),
      memoryRow('after a restart', parked.memory),
    ],
  )
  const woken = `After the restart (${parked.start_ms} ms) ${whole(parked.ended)} of ${whole(parked.runs)} were woken by a signal and ended.`
  const resumed = `From a signal to the start of the next effect: p50 ${parked.resume_p50_ms} ms, p99 ${parked.resume_p99_ms} ms. Two bare commits in between: p50 ${parked.commits_p50_ms} ms, p99 ${parked.commits_p99_ms} ms.`
  const with_ = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${table}\n\n${memory}\n\n${woken} ${resumed}\n\nLoad average ${load} on two cores. With ${with_.join(', ')}.`
}

const best = (systems: Search['sets'][number]['systems']) =>
  Math.max(...Object.entries(systems).map(([name, figures]) => (name === 'sluice' ? 0 : figures['recall@5'])))

function search({ sets }: Search): string {
  const systems = Object.keys(sets[0]?.systems ?? {})
  const body = sets.map(({ set, tools, queries, systems: of }) => [
    `${set} (${whole(tools)} tools, ${whole(queries)} queries)`,
    ...systems.map((system) => share(of[system]?.['recall@5'] ?? Number.NaN)),
    `${of['sluice']?.p50_ms ?? ''}`,
  ])
  return rowsOf(['set', ...systems.map((system) => `\`${system}\``), 'p50 ms, ours'], body)
}

function tokens({ rows }: Tokens): string {
  const text = (row: Tokens['rows'][number], ...keys: string[]) =>
    keys.map((key) => (typeof row[key] === 'number' && key !== 'found' ? whole(row[key]) : String(row[key] ?? '')))
  const catalogues = rows.filter(({ what }) => what === 'catalogue')
  const tasks = rows.filter(({ what }) => what === 'tasks')
  const one = rowsOf(
    ['catalogue', 'tools', 'passthrough', 'search'],
    catalogues.map((row) => text(row, 'name', 'tools', 'passthrough', 'search')),
  )
  const two = rowsOf(
    ['tasks of', 'tools', 'right tools found', 'a task on passthrough', 'a task on search', 'search is cheaper up to'],
    tasks.map((row) => [
      ...text(row, 'name', 'tools', 'found', 'passthrough_per_task', 'search_per_task'),
      `${text(row, 'cheaper_until').join('')} tasks`,
    ]),
  )
  return `${one}\n\n${two}`
}

/** The first table: one line per question, with the comparison from the same run. */
function summary(): string {
  const lines: string[][] = []
  const gates = results<Gate>('gate')?.rows.filter((row) => row.upstream === 'stdio' && row.concurrency === 64) ?? []
  if (gates.length > 0) {
    const gateways = gates.filter(({ system }) => system !== 'direct')
    const of = ({ system, calls_s, cpu_us }: GateRow) => `${system} ${whole(calls_s)}/s (${whole(cpu_us)} µs)`
    const [ours] = gateways.filter(({ system }) => system === 'sluice')
    const others = gateways.filter(({ system }) => !system.startsWith('sluice')).map(of)
    const ourFigure = ours === undefined ? '' : `${whole(ours.calls_s)}/s, ${whole(ours.cpu_us)} µs of CPU each`
    lines.push(['64 calls at once, judged and recorded', ourFigure, others.join(', '), 'gate'])
  }
  const driven = results<Runs>('runs')?.rows.filter(({ concurrency }) => concurrency === 50) ?? []
  if (driven.length > 0) {
    const figure = ({ system, runs_s }: Runs['rows'][number]) => `${system} ${whole(runs_s)}/s`
    const ours = driven.find(({ system }) => system === 'sluice')?.runs_s ?? 0
    const others = driven.filter(({ system }) => system !== 'sluice').map(figure)
    lines.push(['runs of ten durable steps, 50 at once', `${whole(ours)}/s`, others.join(', '), 'runs'])
  }
  const grown = results<Growth>('growth')
  if (grown !== undefined) {
    // Only tool calls have a memory figure; the other rows are pages and flow runs.
    const calls = grown.rows.filter(({ rss_mb }) => rss_mb !== undefined)
    const worst = Math.max(...calls.map(({ ratio }) => ratio))
    const to = calls.map((row) => `${whole(row.to)} ${row.what}`)
    lines.push(['the same call when things grow', `at most ${worst.toFixed(2)} ×`, `at ${to.join(', ')}`, 'growth'])
    const { start_ms, idle_rss_mb } = grown.package
    const memory = `${idle_rss_mb} MB idle, ${grown.most_rss_mb} MB at most`
    lines.push(['start to first call; memory', `${start_ms} ms; ${memory}`, '', 'growth'])
  }
  const sets = results<Search>('search')?.sets ?? []
  if (sets.length > 0) {
    const mean = (values: readonly number[]) => share(values.reduce((sum, value) => sum + value, 0) / values.length)
    const ours = mean(sets.map(({ systems }) => systems['sluice']?.['recall@5'] ?? 0))
    const theirs = mean(sets.map(({ systems }) => best(systems)))
    lines.push([
      `the right tool among five, mean of ${sets.length} sets`,
      ours,
      `best other of each set ${theirs}`,
      'search',
    ])
  }
  const [catalogue] = results<Tokens>('tokens')?.rows ?? []
  if (catalogue !== undefined) {
    const [small, large] = [Number(catalogue['search']), Number(catalogue['passthrough'])]
    lines.push([
      `prompt tokens per session, before any message, ${catalogue['tools']} tools`,
      whole(small),
      whole(large),
      'tokens',
    ])
  }
  const rules = results<Policy>('policy')?.rows.filter((row) => row.rules === 100 && row.matching === 100) ?? []
  const [mine, cedar] = ['sluice', 'cedar'].map((name) => rules.find(({ system }) => system === name)?.us_p50)
  if (mine !== undefined && cedar !== undefined)
    lines.push(['100 rules, all about this call', `${mine.toFixed(1)} µs`, `Cedar ${whole(cedar)} µs`, 'policy'])
  for (const { set, systems } of results<Dlp>('dlp')?.sets ?? []) {
    const pair = (name: string) => `${share(systems[name]?.recall ?? 0)} / ${share(systems[name]?.fpr ?? 0)}`
    const what = `secrets and personal data: found / false alarms, ${set.replaceAll('_', ' ')}`
    lines.push([what, pair('sluice'), `secretlint ${pair('secretlint')}`, 'dlp'])
  }
  const body = lines.map(([what = '', ours = '', others = '', name = '']) => [what, ours, others, `\`${name}\``])
  return rowsOf(['', 'Sluice', 'beside it, in the same run', '`npm run bench --`'], body)
}

function results<Report>(name: string): Report | undefined {
  const file = resolve(root, 'bench/results', `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined
}

const of = <Report>(name: string, make: (report: Report) => string) => {
  const report = results<Report>(name)
  return report === undefined ? undefined : make(report)
}

/** Which block of which page shows what. A block without a result is not changed. */
const BLOCKS: readonly (readonly [page: string, block: string, text: string | undefined])[] = [
  ['docs/performance.md', 'gate', of('gate', gate)],
  ['docs/performance.md', 'growth', of('growth', growth)],
  ['docs/performance.md', 'runs', of('runs', runs)],
  ['server/src/guests/search/README.md', 'search', of('search', search)],
  ['server/src/guests/search/README.md', 'tokens', of('tokens', tokens)],
  ['docs/performance.md', 'summary', summary()],
]

for (const [page, block, text] of BLOCKS) {
  if (text === undefined) {
    console.log(`${page}: ${block} is unchanged: there is no bench/results/${block}.json`)
    continue
  }
  const path = resolve(root, page)
  const [open, close] = [`<!-- figures: ${block} -->`, `<!-- /figures -->`]
  const before = readFileSync(path, 'utf8')
  const start = before.indexOf(open)
  const end = before.indexOf(close, start)
  if (start < 0 || end < 0) throw new Error(`${page} has no block ${open} … ${close}`)
  const after = `${before.slice(0, start)}${open}\n\n${text}\n\n${before.slice(end)}`
  writeFileSync(path, await format(after, { ...(await resolveConfig(path)), parser: 'markdown' }))
  console.log(`${page}: ${block}`)
}
