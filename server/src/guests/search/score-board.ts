import type { WordReading, WantedWord } from './expand-clause.ts'
import { documentsIn } from './postings.ts'

/** Scores by document number, reused from query to query: only what was touched is cleared. */
export type ScoreBoard = {
  grow(documents: number): void
  /** Adds each document's score for a clause; returns the documents that match any of it, valid until the next clause. */
  add(wanted: readonly WantedWord[]): Uint32Array
  clause(doc: number): number
  whole(doc: number): number
  /** The documents with the highest scores, best first; `before` orders equal ones. */
  leaders(of: 'clause' | 'whole', docs: Uint32Array, count: number, order: Order): readonly number[]
  /** Adds the clause's scores to the total and clears them. */
  settle(docs: Uint32Array): void
  touched(): Uint32Array
  clear(): void
}

/** `counts` is called only for a document that would be among the leaders. */
export type Order = { readonly before: (a: number, b: number) => boolean; readonly counts: (doc: number) => boolean }

/**
 * Once this many documents match a clause by its rarer words, a word that this many tools contain adds to their scores but no new
 * documents: a tool that matches only the commonest words does not lead.
 */
const ENOUGH = 300
const COMMON = 600

const reachOf = (readings: readonly WordReading[]): number =>
  readings.reduce((sum, { term }) => sum + documentsIn(term.postings), 0)

export function createScoreBoard(): ScoreBoard {
  let word = new Float64Array(64)
  let clause = new Float64Array(64)
  let whole = new Float64Array(64)
  let inWord = new Uint32Array(64)
  let inClause = new Uint32Array(64)
  let inWhole = new Uint32Array(64)
  let answering = 0
  let all = 0

  function addOne({ term: { postings }, worth }: WordReading, isOpen: boolean): void {
    const { cells, length } = postings
    const scale = worth / 65_535
    for (let at = 0; at < length; at += 2) {
      const doc = cells[at] ?? 0
      const had = clause[doc] ?? 0
      if (had === 0) {
        if (!isOpen) continue
        inClause[answering++] = doc
      }
      clause[doc] = had + scale * ((cells[at + 1] ?? 0) >>> 8)
    }
  }

  /** The best reading of a word in each document. */
  function addBest(readings: readonly WordReading[], isOpen: boolean): void {
    let count = 0
    for (const { term, worth } of readings) {
      const { cells, length } = term.postings
      const scale = worth / 65_535
      for (let at = 0; at < length; at += 2) {
        const doc = cells[at] ?? 0
        if (!isOpen && clause[doc] === 0) continue
        const gain = scale * ((cells[at + 1] ?? 0) >>> 8)
        const had = word[doc] ?? 0
        if (had === 0) inWord[count++] = doc
        if (gain > had) word[doc] = gain
      }
    }
    for (let at = 0; at < count; at += 1) {
      const doc = inWord[at] ?? 0
      const had = clause[doc] ?? 0
      if (had === 0) inClause[answering++] = doc
      clause[doc] = had + (word[doc] ?? 0)
      word[doc] = 0
    }
  }

  return {
    grow(documents) {
      if (documents <= whole.length) return
      const size = documents * 2
      word = new Float64Array(size)
      clause = new Float64Array(size)
      whole = new Float64Array(size)
      inWord = new Uint32Array(size)
      inClause = new Uint32Array(size)
      inWhole = new Uint32Array(size)
    },
    add(words) {
      answering = 0
      const rarestFirst = words
        .map(({ readings, beside }) => ({ readings, reach: beside === true ? Infinity : reachOf(readings) }))
        .toSorted((a, b) => a.reach - b.reach)
      for (const { readings, reach } of rarestFirst) {
        const isOpen = reach < COMMON || (answering < ENOUGH && reach < Infinity)
        const [first, second] = readings
        if (first !== undefined && second === undefined) addOne(first, isOpen)
        else addBest(readings, isOpen)
      }
      return inClause.subarray(0, answering)
    },
    clause: (doc) => clause[doc] ?? 0,
    whole: (doc) => whole[doc] ?? 0,
    leaders: (of, docs, count, order) => leadersOf(docs, of === 'clause' ? clause : whole, count, order),
    settle(docs) {
      for (const doc of docs) {
        const had = whole[doc] ?? 0
        if (had === 0) inWhole[all++] = doc
        whole[doc] = had + (clause[doc] ?? 0)
        clause[doc] = 0
      }
    },
    touched: () => inWhole.subarray(0, all),
    clear() {
      for (let at = 0; at < all; at += 1) whole[inWhole[at] ?? 0] = 0
      all = 0
    },
  }
}

function leadersOf(docs: Uint32Array, scores: Float64Array, count: number, { before, counts }: Order): number[] {
  const best: number[] = []
  let floor = 0
  for (const doc of docs) {
    const score = scores[doc] ?? 0
    if (score < floor) continue
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
