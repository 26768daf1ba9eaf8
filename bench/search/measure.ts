import { quantile } from '../bench.ts'
import { meanQuality, qualityOf, type Quality } from './quality.ts'
import { readSet, sample } from './read-set.ts'
import { byMeaning } from './by-meaning.ts'
import { SYSTEMS, type SystemName } from './systems.ts'

/** The task of one child process: one system on one set, so that no system affects the caches or the memory of another. */
export type Job = {
  system: SystemName | 'sluice_embeddings'
  folder: string
  distractors: readonly string[]
  queries: number
  /** The address of an embedding model, and its name. */
  embeddings?: { readonly url: string; readonly model: string }
}
export type Figures = Quality & { p50_ms: number; p99_ms: number; index_ms: number; rss_mb: number }
export type Measured = { set: string; tools: number; queries: number; of: number; figures: Figures }

const WARM_UP = 100
const COUNT = 10

export async function measure({ system, folder, distractors, queries, embeddings }: Job): Promise<Measured> {
  const { set, tools, questions } = readSet(folder, distractors)
  const asked = questions.length > queries ? sample(questions, queries) : questions
  const { url, model } = embeddings ?? { url: '', model: '' }
  const build = await (system === 'sluice_embeddings' ? byMeaning(url, model) : SYSTEMS[system]).open()
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const start = performance.now()
  const search = await build(tools)
  const built = performance.now()
  globalThis.gc?.()
  const rss = process.memoryUsage().rss - before
  for (const { query } of asked.slice(0, WARM_UP)) await search(query, COUNT)
  const qualities: Quality[] = []
  const times: number[] = []
  for (const { query, wanted } of asked) {
    const from = performance.now()
    const answer = search(query, COUNT)
    const ranked = answer instanceof Promise ? await answer : answer
    times.push(performance.now() - from)
    qualities.push(qualityOf(ranked, wanted))
  }
  const sorted = times.toSorted((a, b) => a - b)
  const figures: Figures = {
    ...meanQuality(qualities),
    p50_ms: round(quantile(sorted, 0.5), 3),
    p99_ms: round(quantile(sorted, 0.99), 3),
    index_ms: round(built - start, 0),
    rss_mb: round(Math.max(0, rss) / 2 ** 20, 1),
  }
  return { set, tools: tools.length, queries: asked.length, of: questions.length, figures }
}

/** Without queries there is no time to report. */
const round = (value: number, digits: number): number => (Number.isNaN(value) ? 0 : Number(value.toFixed(digits)))

const [job] = process.argv.slice(2)
if (import.meta.main && job !== undefined) console.log(JSON.stringify(await measure(JSON.parse(job) as Job)))
