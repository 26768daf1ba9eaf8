import { splitText, type Word } from './split-text.ts'
import { stem } from './stem.ts'
import { LISTING_WORDS, REQUEST_WORDS, STOP_WORDS } from './word-lists.ts'
import type { SearchTuning } from './tuning.ts'

export type QueryTerm = {
  readonly term: string
  readonly word: string
  readonly weight: number
  readonly joined: boolean
  /** A name or a literal value: it is matched exactly or not at all. */
  readonly name: boolean
}
/** One request within the prompt. */
export type Clause = {
  readonly terms: readonly QueryTerm[]
  /** It speaks of several things, or of the caller's own: "all orders", "my first playlist". */
  readonly lists: boolean
}

/** A longer prompt says nothing new about which tools are wanted. */
const MAX_QUERY = 4_000
const MAX_CLAUSES = 12

/** Where one request ends and another may begin. */
const SENTENCE_END =
  /[.!?;\n](?=["'”’)]*(?:\s|$))|,?(?<!\s)\s+(?:and\s+)?(?:then|also|finally|lastly|additionally|furthermore|moreover|afterwards)\b,?|,?(?<!\s)\s+after\s+that\b/gi
const QUOTED = /"[^"\n]{1,200}"|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])|“[^”\n]{1,200}”|`[^`\n]{1,200}`/gu
const PLACEHOLDER = /<[^<>\n]{1,80}>|\{[^{}\n]{1,80}\}/g
/** "I'm planning a trip to Japan." says why, not what. */
const CONTEXT =
  /^\W*(?:(?:hi|hey|hello)\W+)?(?:i|i'm|i’m|i've|i’ve|we|we're|we've|my|our|it|it's|there|this|he|she|they|today|as)\b/i
const REQUEST =
  /\b(?:can|could|would|will) (?:you|i|we)\b|\bplease\b|\b(?:need|want|like|wish|love|looking|help|tell|show|give|find|know|provide|interested|curious)\b|\?/i

type Span = { readonly start: number; readonly end: number }

export function readQuery(query: string, tuning: SearchTuning): Clause[] {
  const text = query
    .slice(0, MAX_QUERY)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
  const marks: Marks = { quoted: spansOf(text, QUOTED), placeholders: spansOf(text, PLACEHOLDER), tuning }
  const words = splitText(text)
  const sentences = cutAt(text, { start: 0, end: text.length }, SENTENCE_END, marks)
  const clauses: Clause[] = []
  for (const sentence of sentences) {
    const body = text.slice(sentence.start, sentence.end)
    const factor = CONTEXT.test(body) && !REQUEST.test(body) ? tuning.context : 1
    const within = words.filter(({ start }) => sentence.start <= start && start < sentence.end)
    const terms = termsIn(within, marks).map((term) => ({ ...term, weight: term.weight * factor }))
    clauses.push({ terms, lists: within.some((word) => isListing(word, marks)) })
  }
  return joinShort(clauses, tuning.shortClause).slice(0, MAX_CLAUSES).map(mergeRepeats)
}

type Marks = { readonly quoted: readonly Span[]; readonly placeholders: readonly Span[]; readonly tuning: SearchTuning }

const spansOf = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }))

const inside = (spans: readonly Span[], at: number): boolean => spans.some(({ start, end }) => start <= at && at < end)

/** The pieces of a span, split where the pattern matches outside of quotes. */
function cutAt(text: string, span: Span, pattern: RegExp, { quoted }: Marks): Span[] {
  const pieces: Span[] = []
  let { start } = span
  for (const found of spansOf(text.slice(span.start, span.end), pattern)) {
    const at = span.start + found.start
    if (inside(quoted, at)) continue
    pieces.push({ start, end: span.start + found.end })
    start = span.start + found.end
  }
  pieces.push({ start, end: span.end })
  return pieces
}

const isListing = ({ text, start }: Word, { quoted }: Marks): boolean =>
  LISTING_WORDS.has(text) && !inside(quoted, start)

function termsIn(words: readonly Word[], marks: Marks): QueryTerm[] {
  return words.flatMap((word, at) => {
    const weight = weigh(word, marks)
    if (weight === 0) return []
    const term = stem(word.text)
    const name = (word.capital && at > 0) || inside(marks.quoted, word.start)
    return [{ term, word: word.text, weight: weight * (WORD_WEIGHTS.get(term) ?? 1), joined: word.joined, name }]
  })
}

function weigh(word: Word, { quoted, placeholders, tuning }: Marks): number {
  if (STOP_WORDS.has(word.text)) return 0
  let weight = REQUEST_WORDS.has(word.text) ? tuning.request : 1
  if (/^\p{N}+$/u.test(word.text)) weight *= tuning.number
  if (inside(quoted, word.start)) weight *= tuning.quoted
  else if (inside(placeholders, word.start)) weight *= tuning.placeholder
  return weight
}

/** A piece too short to be a request belongs to the previous one; the first, to the next one. */
function joinShort(pieces: readonly Clause[], least: number): Clause[] {
  const weightOf = ({ terms }: Clause): number => terms.reduce((sum, { weight }) => sum + weight, 0)
  const joined: Clause[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last !== undefined && (weightOf(piece) < least || weightOf(last) < least))
      joined[joined.length - 1] = { terms: [...last.terms, ...piece.terms], lists: last.lists || piece.lists }
    else joined.push(piece)
  }
  return joined.filter(({ terms }) => terms.length > 0)
}

/** A repeated word counts once, with its greater weight. */
function mergeRepeats({ terms, lists }: Clause): Clause {
  const seen = new Map<string, QueryTerm>()
  for (const term of terms) {
    const known = seen.get(term.term)
    if (known === undefined || known.weight < term.weight) seen.set(term.term, term)
  }
  return { terms: [...seen.values()], lists }
}

/**
 * What a word of a request counts, relative to other words. A word that the right tool seldom contains says little about the tool,
 * even if it is rare in a catalogue: "accurate", "ensure", "various". Written by bench/search/learn-word-weights.ts, from public
 * requests and the tools they need.
 */
const LINES = `
0.3: called com ensure features next obtain relevant see various watch
0.4: accurate enhance example first following gather ideas improve keep today visit
0.5: abc across advancements around ask better chicago considering engaging even find highlights including latest meeting offers
0.5: old online options org previous professional receive related san say station tasks uk
0.6: abilities admin angeles appropriate articles australia boston buy check compare db deals easily experience explore fetch
0.6: francisco guidance https important instructions intelligence japan java living local london los natural navigation part past
0.6: planning popular potential purchase request skills solution stay successful summary tech three trends trip utilize weekend
0.6: world write york
0.7: additional associated awareness break car change creative describe development display document enable entertainment extensive
0.7: functionality handle life long members money multiple new note notify outdoor pay place preferably present reach ready
0.7: response select self set share shopping short show support topic trading upcoming visually
0.8: account advice api arrival brief capital cc chat click combines competitor config conversation customer decision diverse drive
0.8: entire field full garden goals highest immediately insights interactive journey lax left link match max mention move open
0.8: operation paris performance person phrase practices project range read recent results road scientific second shape small
0.8: software source stand star states study talk term tesla top total travel two university workout
`

/** By stem. All other words count 1. */
const WORD_WEIGHTS: ReadonlyMap<string, number> = new Map(
  LINES.trim()
    .split('\n')
    .flatMap((line) => {
      const [weight, words = ''] = line.split(': ')
      return words.split(' ').map((word) => [stem(word), Number(weight)] as const)
    }),
)
