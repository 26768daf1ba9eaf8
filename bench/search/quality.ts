/** How good one ranked answer is; each inner list of `wanted` is one tool under all the ids that count for it. */
export type Quality = {
  readonly 'recall@1': number
  readonly 'recall@5': number
  readonly 'recall@10': number
  readonly mrr: number
  readonly 'ndcg@5': number
}

export function qualityOf(ranked: readonly string[], wanted: readonly (readonly string[])[]): Quality {
  const places = wanted.map((ids) => ranked.findIndex((id) => ids.includes(id))).filter((place) => place !== -1)
  const recall = (count: number): number => places.filter((place) => place < count).length / wanted.length
  const gain = (place: number): number => 1 / Math.log2(place + 2)
  const ideal = Array.from({ length: Math.min(5, wanted.length) }, (_, place) => gain(place))
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
  return {
    'recall@1': recall(1),
    'recall@5': recall(5),
    'recall@10': recall(10),
    mrr: places.length === 0 ? 0 : 1 / (Math.min(...places) + 1),
    'ndcg@5': sum(places.filter((place) => place < 5).map(gain)) / sum(ideal),
  }
}

export function meanQuality(all: readonly Quality[]): Quality {
  const mean = (key: keyof Quality): number =>
    Number((all.reduce((sum, quality) => sum + quality[key], 0) / Math.max(1, all.length)).toFixed(4))
  return {
    'recall@1': mean('recall@1'),
    'recall@5': mean('recall@5'),
    'recall@10': mean('recall@10'),
    mrr: mean('mrr'),
    'ndcg@5': mean('ndcg@5'),
  }
}
