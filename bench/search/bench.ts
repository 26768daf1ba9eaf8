import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { columns, complaint, valuesOf, type Bench } from '../bench.ts'
import type { Figures, Job, Measured } from './measure.ts'
import { firstHits, reliabilityOf, type Bucket, type Reliability } from './reliability.ts'
import { readSet, setFolders } from './read-set.ts'
import { SYSTEMS, type SystemName } from './systems.ts'

/**
 * Does search find the right tool? Ours, MiniSearch with its defaults and tuned, Orama tuned and a plain BM25 answer the same questions over the
 * same tools. All but `minisearch` read the same fields with the same word splitting and stems. `--embeddings URL [--model NAME]`
 * adds ours with an embedding model.
 */
const DATA = join(import.meta.dirname, '../../../shared/data/retrieval')
/** Of each set, unless `--all` or `--queries` says otherwise: the slowest baselines take 50 ms and more for one. */
const MOST_QUERIES = 1_000
const BASELINE_NEEDS_HELP = 0.9

type Systems = Record<SystemName, Figures> & { sluice_embeddings?: Figures }
type SetReport = { set: string; tools: number; queries: number; systems: Systems }
type Report = { bench: 'search'; sets: SetReport[]; reliability: Reliability }

export const bench: Bench<Report> = {
  needsPeers: true,

  run(options) {
    const given = valuesOf(options, '--data')
    const folders = setFolders(given.length === 0 ? [DATA] : given.map((folder) => resolve(folder)))
    const distractors = valuesOf(options, '--distractors').map((file) => resolve(file))
    const queries = options.includes('--all')
      ? Number.MAX_SAFE_INTEGER
      : Number(valuesOf(options, '--queries')[0] ?? MOST_QUERIES)
    if (!(queries > 0)) throw complaint('--queries needs a number above 0')
    // Data that cannot be read is reported before anything is measured.
    for (const folder of folders) readSet(folder, distractors)
    const [url] = valuesOf(options, '--embeddings')
    const embeddings = url === undefined ? undefined : { url, model: valuesOf(options, '--model')[0] ?? 'default' }
    const names: Job['system'][] = [
      ...(Object.keys(SYSTEMS) as SystemName[]),
      ...(embeddings === undefined ? [] : (['sluice_embeddings'] as const)),
    ]
    const sets = folders.map((folder) => {
      const measured = names.map((system) => {
        const start = performance.now()
        const one = inChild({ system, folder, distractors, queries, ...(embeddings && { embeddings }) })
        console.error(`${one.set}: ${system} in ${((performance.now() - start) / 1_000).toFixed(1)} s`)
        return one
      })
      const [first] = measured
      if (first === undefined) throw new Error('no system to measure')
      if (first.queries < first.of)
        console.error(`${first.set}: ${first.queries} of ${first.of} queries, by a fixed seed`)
      const systems = Object.fromEntries(names.map((name, at) => [name, measured[at]?.figures]))
      const { set, tools, queries: asked } = first
      return { set, tools, queries: asked, systems: systems as Systems }
    })
    const reliability = reliabilityOf(folders.map((folder) => firstHits(folder, distractors, queries)))
    return Promise.resolve({ bench: 'search', sets, reliability })
  },

  table({ sets, reliability }) {
    const rows = sets.flatMap(({ set, tools, queries, systems }) =>
      Object.entries(systems).map(([system, figures], at) => [
        at === 0 ? `${set} (${tools} tools, ${queries} queries)` : '',
        system,
        ...[figures['recall@1'], figures['recall@5'], figures['recall@10'], figures.mrr, figures['ndcg@5']].map(share),
        figures.p50_ms,
        figures.p99_ms,
        figures.index_ms,
        figures.rss_mb,
      ]),
    )
    const head = [
      'set',
      'system',
      'recall@1',
      'recall@5',
      'recall@10',
      'mrr',
      'ndcg@5',
      'p50 ms',
      'p99 ms',
      'index ms',
      'rss MB',
    ]
    return [columns([head, ...rows]), lead(sets), sayReliability(reliability)].join('\n\n')
  },
}

function inChild(job: Job): Measured {
  const worker = join(import.meta.dirname, 'measure.ts')
  const output = execFileSync(process.execPath, ['--expose-gc', '--no-warnings', worker, JSON.stringify(job)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(output) as Measured
}

/** Recall@5 against the best baseline of each set. */
function lead(sets: readonly SetReport[]): string {
  const leads = sets.map(({ set, systems: { sluice, sluice_embeddings: _, ...others } }) => {
    const best = Math.max(...Object.values(others).map((figures) => figures['recall@5']))
    return { set, best, by: sluice['recall@5'] - best }
  })
  const hard = leads.filter(({ best }) => best < BASELINE_NEEDS_HELP)
  const mean = hard.reduce((sum, { by }) => sum + by, 0) / Math.max(1, hard.length)
  const least = leads.toSorted((a, b) => a.by - b.by)[0]
  const points = (by: number): string => `${(by * 100).toFixed(1)} points`
  return [
    `recall@5 over the best baseline: ${points(mean)} on average of the ${hard.length} sets where that is under .90`,
    ...(least === undefined ? [] : [`smallest lead: ${points(least.by)} on ${least.set}`]),
  ].join('\n')
}

function sayReliability({ by_hint, by_gap }: Reliability): string {
  const line = (buckets: readonly Bucket[]) =>
    buckets.map(({ from, to, queries, right }) => [`${from} to ${to}`, queries, share(right)])
  return columns([
    ['first hint', 'queries', 'first is right'],
    ...line(by_hint),
    ['second / first', 'queries', 'first is right'],
    ...line(by_gap),
  ])
}

const share = (value: number): string => value.toFixed(3)
