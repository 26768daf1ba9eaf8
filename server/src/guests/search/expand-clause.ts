import { documentsIn } from './postings.ts'
import type { Clause, QueryTerm } from './read-query.ts'
import { stem } from './stem.ts'
import { synonymsOf } from './word-lists.ts'
import { kindsOf } from './topics.ts'
import type { SearchTuning } from './tuning.ts'
import type { Term, Vocabulary } from './vocabulary.ts'

/** One way in which a document can match a word: `worth` is the most it adds, `share` how likely the word means this term. */
export type WordReading = { readonly term: Term; readonly worth: number; readonly share: number }
/** A word of the query. Only its best reading counts, so that a text with three synonyms does not count three times. */
export type WantedWord = {
  readonly word: string
  readonly readings: readonly WordReading[]
  readonly worth: number
  /** It adds to tools that match another word, and finds none by itself. */
  readonly beside?: true
}

/** What an unknown word still adds to the best possible score. */
const UNKNOWN = 0.5

/** A related term that thousands of tools share distinguishes none of them, so reading its postings is not worth the cost. */
const MAX_BESIDE = 1_000

/** The rarer a term, the more it says. */
export const rarity = (documents: number, among: number): number =>
  Math.log(1 + (among - documents + 0.5) / (documents + 0.5))

export function expandClause(clause: Clause, vocabulary: Vocabulary, size: number, tuning: SearchTuning): WantedWord[] {
  const wanted: WantedWord[] = []
  for (const [at, item] of clause.terms.entries()) {
    const readings = readingsOf(item, vocabulary, size, tuning)
    const most = readings.reduce((most, { worth }) => Math.max(most, worth), 0)
    const unknown = item.name || item.joined ? 0 : UNKNOWN * item.weight * rarity(1, size)
    wanted.push({ word: item.word, readings, worth: readings.length > 0 ? most : unknown })
    const fused = fusedWith(item, clause.terms[at + 1], vocabulary)
    if (fused === undefined) continue
    const worth = tuning.compound * item.weight * rarity(documentsIn(fused.postings), size)
    wanted.push({ word: fused.text, readings: [{ term: fused, worth, share: 1 }], worth: 0 })
  }
  if (wanted.every(({ readings }) => readings.length === 0)) return wanted
  const imply = (item: QueryTerm): WantedWord => ({
    word: item.word,
    readings: readingsOf(item, vocabulary, size, tuning),
    worth: 0,
  })
  const says = (term: string): boolean => clause.terms.some((item) => item.term === term)
  if (namesUnknown(clause, vocabulary) && !says(SEARCH.term)) wanted.push(imply({ ...SEARCH, weight: tuning.lookup }))
  if (clause.lists && !says(LIST.term)) wanted.push({ ...imply({ ...LIST, weight: tuning.listing }), beside: true })
  return wanted
}

/** "Play the newest album of Björk": a thing known only by name has to be found before anything can be done with it. */
const SEARCH = { term: stem('search'), word: 'search', joined: true, name: true } as const
/** "Delete all my drafts": things without a name have to be listed first. */
const LIST = { term: stem('list'), word: 'list', joined: true, name: true } as const

const namesUnknown = ({ terms }: Clause, vocabulary: Vocabulary): boolean =>
  terms.some(({ name, term }) => name && vocabulary.find(term) === undefined)

function readingsOf(item: QueryTerm, vocabulary: Vocabulary, size: number, tuning: SearchTuning): WordReading[] {
  const readings = new Map<Term, WordReading>()
  let most = Infinity
  const read = (term: Term | undefined, share: number): void => {
    if (term === undefined || readings.has(term)) return
    if (share < 1 && documentsIn(term.postings) > MAX_BESIDE) return
    // A related word never counts more than the word itself.
    const worth = Math.min(most, share * rarity(documentsIn(term.postings), size) * item.weight)
    readings.set(term, { term, worth, share })
  }
  const own = vocabulary.find(item.term)
  read(own, 1)
  most = readings.values().next().value?.worth ?? Infinity
  for (const other of synonymsOf(item.term)) read(vocabulary.find(other), tuning.synonym)
  // If some tool contains the word, the word itself counts most; otherwise only its kind is known.
  const topic = own === undefined ? tuning.topic : tuning.topicBeside
  for (const other of kindsOf(item.term)) read(vocabulary.find(other), topic)
  if (own === undefined && !item.name) {
    for (const part of unfused(item.word, vocabulary)) read(part, tuning.compound)
    if (readings.size === 0) for (const { term, by } of vocabulary.near(item.term)) read(term, tuning[by])
  }
  return [...readings.values()]
}

/** `load testing` in the query, `loadtesting` in a name. */
function fusedWith(item: QueryTerm, next: QueryTerm | undefined, vocabulary: Vocabulary): Term | undefined {
  if (next === undefined || item.joined || next.joined) return undefined
  return vocabulary.find(vocabulary.stem(item.word + next.word))
}

/** `loadtesting` in the query, `load testing` in a text: the first split with both parts known. */
function unfused(word: string, vocabulary: Vocabulary): Term[] {
  if (word.length < 6 || word.length > 24) return []
  for (let cut = 3; cut <= word.length - 3; cut += 1) {
    const left = vocabulary.find(vocabulary.stem(word.slice(0, cut)))
    const right = left && vocabulary.find(vocabulary.stem(word.slice(cut)))
    if (left !== undefined && right !== undefined) return [left, right]
  }
  return []
}
