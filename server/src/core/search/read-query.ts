import { splitText, type Word } from './split-text.ts'
import { stem } from './stem.ts'
import { REQUEST_WORDS, STOP_WORDS } from './stop-words.ts'
import type { Tuning } from './tuning.ts'

export type QueryTerm = {
  readonly term: string
  readonly word: string
  readonly weight: number
  readonly joined: boolean
}
/** One wish of the prompt. */
export type Clause = readonly QueryTerm[]

/** A prompt beyond this says nothing new about which tools are wanted. */
const MAX_QUERY = 4_000
const MAX_CLAUSES = 12
const MIN_CLAUSE = 3

/** Where one wish ends and another begins. */
const CLAUSE_END =
  /[.!?;\n](?=\s|$)|,?\s+(?:and\s+)?(?:then|also|finally|lastly|additionally|furthermore|moreover|next|afterwards|besides)\b,?|,?\s+after\s+that\b|,\s*and\s+|,\s+|\s+and\s+/gi
const QUOTED = /"[^"\n]{1,200}"|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])|“[^”\n]{1,200}”|`[^`\n]{1,200}`/gu
const PLACEHOLDER = /<[^<>\n]{1,80}>|\{[^{}\n]{1,80}\}/g

type Span = { readonly start: number; readonly end: number }

const spansOf = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }))

const inside = (spans: readonly Span[], at: number): boolean => spans.some(({ start, end }) => start <= at && at < end)

export function readQuery(query: string, tuning: Tuning): Clause[] {
  const text = query
    .slice(0, MAX_QUERY)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
  const quoted = spansOf(text, QUOTED)
  const placeholders = spansOf(text, PLACEHOLDER)
  const ends = spansOf(text, CLAUSE_END).filter(({ start }) => !inside(quoted, start))
  const bounds = ends.map(({ end }) => end)
  const clauses: QueryTerm[][] = []
  let clause: QueryTerm[] = []
  let bound = 0
  let first = true
  const close = (): void => {
    const weight = clause.reduce((sum, { weight }) => sum + weight, 0)
    if (weight >= MIN_CLAUSE || clauses.length === 0) clauses.push(clause)
    else clauses[clauses.length - 1]?.push(...clause)
    clause = []
  }
  for (const word of splitText(text)) {
    while (bound < bounds.length && (bounds[bound] ?? 0) <= word.start) {
      if (clause.length > 0 && clauses.length < MAX_CLAUSES) close()
      bound += 1
      first = true
    }
    const weight = weigh(word, first, quoted, placeholders, tuning)
    first = false
    if (weight > 0) clause.push({ term: stem(word.text), word: word.text, weight, joined: word.joined })
  }
  if (clause.length > 0) close()
  const [head, second] = clauses
  // A short opening ("Hi there.") belongs to what follows.
  if (head !== undefined && second !== undefined && head.reduce((sum, { weight }) => sum + weight, 0) < MIN_CLAUSE) {
    second.unshift(...head)
    clauses.shift()
  }
  return clauses.map(mergeRepeats)
}

function weigh(
  word: Word,
  first: boolean,
  quoted: readonly Span[],
  placeholders: readonly Span[],
  tuning: Tuning,
): number {
  if (STOP_WORDS.has(word.text)) return 0
  let weight = 1
  if (REQUEST_WORDS.has(word.text)) weight *= tuning.request
  if (/^\p{N}+$/u.test(word.text)) weight *= tuning.number
  if (inside(quoted, word.start)) weight *= tuning.quoted
  else if (inside(placeholders, word.start)) weight *= tuning.placeholder
  else if (word.capital && !first) weight *= tuning.capital
  return weight
}

/** A word said twice counts once, at its greater weight. */
function mergeRepeats(clause: Clause): Clause {
  const seen = new Map<string, QueryTerm>()
  for (const term of clause) {
    const known = seen.get(term.term)
    if (known === undefined || known.weight < term.weight) seen.set(term.term, term)
  }
  return [...seen.values()]
}
