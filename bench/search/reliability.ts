import { createIndex } from '../../server/src/guests/search/create-index.ts'
import { readSet, sample } from './read-set.ts'

/** One first hit: its score, the score of the second, and whether it was right. */
export type FirstHit = { readonly hint: number; readonly second: number; readonly right: boolean }
export type Bucket = { readonly from: number; readonly to: number; readonly queries: number; readonly right: number }
/** How often a first hit was right: by its own hint, and by how close the second score was. Every set weighs the same. */
export type Reliability = { readonly by_hint: readonly Bucket[]; readonly by_gap: readonly Bucket[] }

const HINTS = [0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01]
const GAPS = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01]

export function firstHits(folder: string, distractors: readonly string[], queries: number): FirstHit[] {
  const { tools, questions } = readSet(folder, distractors)
  const index = createIndex()
  for (const tool of tools) index.add(tool)
  return sample(questions, Math.min(queries, questions.length)).flatMap(({ query, wanted }) => {
    const [first, second] = index.search(query, 2)
    if (first === undefined) return []
    const right = wanted.some((ids) => ids.includes(first.id))
    return [{ hint: first.score_hint, second: (second?.score_hint ?? 0) / (first.score_hint || 1), right }]
  })
}

export function reliabilityOf(sets: readonly (readonly FirstHit[])[]): Reliability {
  return {
    by_hint: bucketsOf(HINTS, sets, ({ hint }) => hint),
    by_gap: bucketsOf(GAPS, sets, ({ second }) => second),
  }
}

function bucketsOf(
  edges: readonly number[],
  sets: readonly (readonly FirstHit[])[],
  at: (hit: FirstHit) => number,
): Bucket[] {
  return edges.slice(1).map((to, place) => {
    const from = edges[place] ?? 0
    let weight = 0
    let right = 0
    let queries = 0
    for (const hits of sets.filter(({ length }) => length > 0)) {
      const inside = hits.filter((hit) => at(hit) >= from && at(hit) < to)
      queries += inside.length
      weight += inside.length / hits.length
      right += inside.filter((hit) => hit.right).length / hits.length
    }
    return { from, to: Math.min(to, 1), queries, right: weight === 0 ? 0 : Number((right / weight).toFixed(3)) }
  })
}
