import type { Wanted } from './expand-clause.ts'

/** Scores by document number, reused from query to query: only what was touched is cleared. */
export type ScoreBoard = {
  grow(documents: number): void
  /** Adds what each document answers of a clause; returns the documents that answer any of it. */
  add(wanted: readonly Wanted[]): readonly number[]
  clause(doc: number): number
  whole(doc: number): number
  /** The documents with the highest scores, best first; `before` orders equal ones. */
  leaders(of: 'clause' | 'whole', docs: readonly number[], count: number, order: Order): readonly number[]
  fields(doc: number): number
  /** Adds the clause to the whole and clears it. */
  settle(docs: readonly number[]): void
  touched(): readonly number[]
  clear(): void
}

/** `counts` is asked only of a document that would be among the leaders. */
export type Order = { readonly before: (a: number, b: number) => boolean; readonly counts: (doc: number) => boolean }

export function createScoreBoard(): ScoreBoard {
  let word = new Float64Array(64)
  let clause = new Float64Array(64)
  let whole = new Float64Array(64)
  let fields = new Uint8Array(64)
  let all: number[] = []

  /** The best reading of a word in each document. */
  function best(wanted: Wanted): number[] {
    const docs: number[] = []
    for (const { term, worth } of wanted.readings) {
      const { cells, length } = term.postings
      const scale = worth / 65_535
      for (let at = 0; at < length; at += 2) {
        const doc = cells[at] ?? 0
        const cell = cells[at + 1] ?? 0
        const gain = scale * (cell >>> 8)
        const had = word[doc] ?? 0
        if (had === 0) docs.push(doc)
        if (gain > had) word[doc] = gain
        fields[doc] = (fields[doc] ?? 0) | cell
      }
    }
    return docs
  }

  return {
    grow(documents) {
      if (documents <= whole.length) return
      const size = documents * 2
      word = new Float64Array(size)
      clause = new Float64Array(size)
      whole = new Float64Array(size)
      fields = new Uint8Array(size)
    },
    add(words) {
      const docs: number[] = []
      for (const wanted of words) {
        for (const doc of best(wanted)) {
          const had = clause[doc] ?? 0
          if (had === 0) docs.push(doc)
          clause[doc] = had + (word[doc] ?? 0)
          word[doc] = 0
        }
      }
      return docs
    },
    clause: (doc) => clause[doc] ?? 0,
    whole: (doc) => whole[doc] ?? 0,
    leaders: (of, docs, count, order) => leadersOf(docs, of === 'clause' ? clause : whole, count, order),
    fields: (doc) => fields[doc] ?? 0,
    settle(docs) {
      for (const doc of docs) {
        const had = whole[doc] ?? 0
        if (had === 0) all.push(doc)
        whole[doc] = had + (clause[doc] ?? 0)
        clause[doc] = 0
      }
    },
    touched: () => all,
    clear() {
      for (const doc of all) {
        whole[doc] = 0
        fields[doc] = 0
      }
      all = []
    },
  }
}

function leadersOf(docs: readonly number[], scores: Float64Array, count: number, { before, counts }: Order): number[] {
  const best: number[] = []
  let floor = 0
  for (const doc of docs) {
    const score = scores[doc] ?? 0
    if (best.length >= count && score < floor) continue
    let at = best.length
    while (at > 0) {
      const rival = best[at - 1] ?? 0
      const held = scores[rival] ?? 0
      if (held > score || (held === score && !before(doc, rival))) break
      at -= 1
    }
    if (at >= count || !counts(doc)) continue
    best.splice(at, 0, doc)
    if (best.length > count) best.pop()
    if (best.length === count) floor = scores[best[count - 1] ?? 0] ?? 0
  }
  return best
}
