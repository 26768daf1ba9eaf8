import { Bug } from '../../kernel/contract/problems.ts'
import { changesAsked, isUnasked, type ChangeBits } from './changes.ts'
import { createExactNames, type Exactness } from './exact-names.ts'
import { expandClause, rarity, type WantedWord } from './expand-clause.ts'
import { cellOf, indexTool, type IndexedTool } from './index-tool.ts'
import { pickTools, type Candidate, type Picked } from './pick-tools.ts'
import { createLikeness } from './likeness.ts'
import { addPosting, documentsIn, effectOf, fieldsOf, removePosting } from './postings.ts'
import { readQuery } from './read-query.ts'
import { createScoreBoard } from './score-board.ts'
import { FIELDS, type Field, type SearchableTool } from './searchable-tool.ts'
import { TUNING, type SearchTuning } from './tuning.ts'
import { createVocabulary } from './vocabulary.ts'

export type Hit = {
  readonly id: string
  readonly score: number
  /** 0 to 1, comparable between queries: about how often a tool with this score is the intended one. */
  readonly score_hint: number
  readonly reason: {
    readonly fields: readonly Field[]
    /** The words of the query that the tool contains. */
    readonly terms: readonly string[]
    /** Terms of the tool in fields that do not contain the word of the query itself. */
    readonly related?: readonly { readonly word: string; readonly term: string }[]
    /** The caller ran it after a similar query. */
    readonly habit?: boolean
  }
}

export type ToolIndex = {
  add(tool: SearchableTool): void
  /** The same as `add`: a tool's id identifies one document. */
  replace(tool: SearchableTool): void
  remove(id: string): void
  /** Only tools that `counts` accepts are found; without it, all. */
  search(query: string, topK: number, counts?: (id: string) => boolean): Hit[]
  size(): number
}

const NAME_BIT = 1 << FIELDS.indexOf('name')
const EXACT_HINT: Readonly<Record<Exactness, number>> = { 1: 0.99, 2: 1 }
/** How many tools for the whole query (or as many as are wanted), and for each clause, are scored in detail. */
const WHOLE_POOL = 40
const CLAUSE_POOL = 20

export function createIndex(tuning: SearchTuning = TUNING): ToolIndex {
  const vocabulary = createVocabulary()
  const names = createExactNames()
  const board = createScoreBoard()
  const likeness = createLikeness()
  const tools: (IndexedTool | undefined)[] = []
  const free: number[] = []
  const numbers = new Map<string, number>()

  function add(tool: SearchableTool): void {
    remove(tool.id)
    const number = free.pop() ?? tools.length
    const { indexed, cells } = indexTool(tool, vocabulary, tuning)
    for (const [term, cell] of cells) addPosting(term.postings, number, cell)
    names.add(indexed.called, number)
    likeness.add(indexed.pieces)
    tools[number] = indexed
    numbers.set(tool.id, number)
    board.grow(tools.length)
  }

  function remove(id: string): void {
    const number = numbers.get(id)
    const tool = number === undefined ? undefined : tools[number]
    if (number === undefined || tool === undefined) return
    for (const term of tool.terms) {
      const found = vocabulary.at(term)
      if (found !== undefined) removePosting(found.postings, number)
    }
    names.remove(tool.called, number)
    likeness.remove(tool.pieces)
    tools[number] = undefined
    numbers.delete(id)
    free.push(number)
  }

  const idOf = (doc: number): string => tools[doc]?.id ?? ''

  function candidatesFor(
    query: string,
    clauses: readonly (readonly WantedWord[])[],
    asked: ChangeBits,
    counts: (doc: number) => boolean,
    topK: number,
  ): Candidate[] {
    const order = { before: (a: number, b: number): boolean => idOf(a) < idOf(b), counts }
    const byClause = new Map<number, number[]>()
    for (const [at, wanted] of clauses.entries()) {
      const docs = board.add(wanted)
      const leaders = clauses.length > 1 ? board.leaders('clause', docs, CLAUSE_POOL, order) : []
      for (const doc of leaders) {
        const scores = byClause.get(doc) ?? clauses.map(() => 0)
        scores[at] = board.clause(doc)
        byClause.set(doc, scores)
      }
      board.settle(docs)
    }
    for (const doc of board.leaders('whole', board.touched(), Math.max(WHOLE_POOL, topK), order))
      if (!byClause.has(doc)) byClause.set(doc, [])
    const sure = surenessOf(clauses)
    const alike = likeness.to(query, numbers.size)
    return [...byClause].map(([doc, scores]) => {
      const tool = tools[doc]
      if (tool === undefined) throw new Bug('a candidate is not indexed')
      const boost =
        (1 + tuning.nameCoverage * nameCoverage(tool, sure)) *
        (1 + tuning.likeness * alike(tool.pieces)) *
        (isUnasked(tool.changes, asked) ? 1 - tuning.unasked : 1)
      return {
        doc,
        id: idOf(doc),
        whole: board.whole(doc) * boost,
        clauses: scores.map((score) => score * boost),
        said: once(() => saidOf(tool, clauses)),
      }
    })
  }

  /** How much of a tool's name the query contains. */
  function nameCoverage(tool: IndexedTool, sure: ReadonlyMap<number, number>): number {
    let covered = 0
    let all = 0
    for (const term of tool.name) {
      const found = vocabulary.at(term)
      const weight = found === undefined ? 0 : rarity(documentsIn(found.postings), numbers.size)
      all += weight
      covered += weight * (sure.get(term) ?? 0)
    }
    return all === 0 ? 0 : covered / all
  }

  function search(query: string, topK: number, counts: (id: string) => boolean = () => true): Hit[] {
    const docCounts = (doc: number): boolean => counts(idOf(doc))
    const read = readQuery(query, tuning)
    const asked = changesAsked(read.flatMap(({ terms }) => terms.map(({ term }) => term)))
    const clauses = read.map((clause) => expandClause(clause, vocabulary, numbers.size, tuning))
    const picked = pickTools(candidatesFor(query, clauses, asked, docCounts, topK), clauses.length, topK, tuning)
    const ranked = exactFirst(query, picked, topK, docCounts)
    const hints = scoreHints(
      ranked.filter(({ exact }) => exact === 0).map(({ score }) => score),
      idealOf(clauses, tuning),
    )
    const named = ranked.length - hints.length
    const hits = ranked.map(({ candidate, score, exact }, at) => ({
      id: candidate.id,
      score,
      score_hint: exact === 0 ? (hints[at - named] ?? 0) : EXACT_HINT[exact],
      reason: reasonOf(candidate.doc, clauses, exact),
    }))
    board.clear()
    return hits
  }

  function exactFirst(
    query: string,
    picked: readonly Picked[],
    topK: number,
    counts: (doc: number) => boolean,
  ): (Picked & { exact: 0 | Exactness })[] {
    const exact = new Map([...names.find(query)].filter(([doc]) => counts(doc)))
    const others = picked.filter(({ candidate }) => !exact.has(candidate.doc))
    const base = 1 + (picked[0]?.score ?? 0)
    const named = [...exact].map(([doc, exactness]) => ({
      candidate: { doc, id: idOf(doc), whole: 0, clauses: [], said: () => [] },
      score: base * (1 + exactness / 2),
      exact: exactness,
    }))
    named.sort((a, b) => b.score - a.score || (a.candidate.id < b.candidate.id ? -1 : 1))
    return [...named, ...others.map((other) => ({ ...other, exact: 0 as const }))].slice(0, topK)
  }

  function reasonOf(doc: number, clauses: readonly (readonly WantedWord[])[], exact: 0 | Exactness): Hit['reason'] {
    let mask = exact === 0 ? 0 : NAME_BIT
    const words = new Set<string>()
    const related = new Map<string, { word: string; term: string }>()
    for (const { word, readings } of clauses.flat()) {
      let covered = 0
      // The word itself is the first of its readings.
      for (const { term, share } of readings) {
        const fields = fieldsOf(cellOf(tools[doc], term.number) ?? 0)
        if ((fields & ~covered) === 0) continue
        covered |= fields
        if (share === 1) words.add(word)
        else related.set(`${word} ${term.text}`, { word, term: term.text })
      }
      mask |= covered
    }
    const fields = FIELDS.filter((_, bit) => (mask & (1 << bit)) !== 0)
    return { fields, terms: [...words], ...(related.size === 0 ? {} : { related: [...related.values()] }) }
  }

  return { add, replace: add, remove, search, size: () => numbers.size }
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => (made ??= make())
}

/** For each word of the query: what its best reading adds to a tool's score. */
function saidOf(tool: IndexedTool, clauses: readonly (readonly WantedWord[])[]): number[] {
  return clauses.flat().map(({ readings }) => {
    let most = 0
    for (const { term, worth } of readings) {
      const cell = cellOf(tool, term.number)
      if (cell !== undefined) most = Math.max(most, worth * effectOf(cell))
    }
    return most
  })
}

function surenessOf(clauses: readonly (readonly WantedWord[])[]): Map<number, number> {
  const sure = new Map<number, number>()
  for (const { readings } of clauses.flat())
    for (const { term, share } of readings) sure.set(term.number, Math.max(share, sure.get(term.number) ?? 0))
  return sure
}

/** The best possible score: that of a tool that contains every word of the query plainly. */
function idealOf(clauses: readonly (readonly WantedWord[])[], tuning: SearchTuning): number {
  const worths = clauses.map((wanted) => wanted.reduce((sum, { worth }) => sum + worth, 0))
  const most = Math.max(0, ...worths)
  const rest = worths.reduce((sum, worth) => sum + worth, 0) - most
  return Math.max(Number.MIN_VALUE, most + tuning.whole * rest)
}

/**
 * Fitted on the first hits of half of the public queries, every set with equal weight: see docs/decisions/search.md.
 */
const HALF = 0.275
const STEEPNESS = 1.25
/** How much an equally good second hit lowers the first, and the share of the first's score below which it does not. */
const RIVALRY = 3
const HARMLESS = 0.7
/** Fitted on the second to fifth hits in the same way. */
const FALL = 2.5

/**
 * Hints for a ranked list: about how often a tool with this score is right. The first hit's hint depends on its share of the best
 * possible score and on how close the second is; each other decreases with its distance to the first, so two close hints mean two
 * nearly equal scores.
 * INVARIANT: hints are in the order of the scores, between 0 and 1.
 */
function scoreHints(scores: readonly number[], ideal: number): number[] {
  const first = scores[0] ?? 0
  if (!(first > 0) || !(ideal > 0)) return scores.map(() => 0)
  const rival = Math.exp(RIVALRY * (Math.min(1, (scores[1] ?? 0) / first) - HARMLESS))
  const top = 1 / (1 + (HALF / (first / ideal)) ** STEEPNESS * rival)
  return scores.map((score) => top * Math.min(1, Math.max(0, score) / first) ** FALL)
}
