import { documentsIn, emptyPostings, type Postings } from './postings.ts'
import { stem } from './stem.ts'

export type Term = { readonly text: string; readonly number: number; readonly postings: Postings }
export type Near = { readonly term: Term; readonly by: 'prefix' | 'typo' }

export type Vocabulary = {
  /** The term of a text, created if new; undefined if this owner has reached its limit of new terms. */
  own(text: string, owner: string | undefined): Term | undefined
  /** The term of a text that at least one document contains. */
  find(text: string): Term | undefined
  at(number: number): Term | undefined
  stem(word: string): string
  /** Terms that an unknown word may mean, best first. */
  near(text: string): readonly Near[]
}

const MAX_STEMS = 50_000
/** The limit of new words per server. Terms are never removed, and no honest catalogue has so many. */
const MAX_OWNED = 50_000
const MAX_SCANNED = 4_000
const MAX_NEAR = 3
const LEAST_NEAR = 5
const EDGE = 3

export function createVocabulary(): Vocabulary {
  const terms: Term[] = []
  const byText = new Map<string, Term>()
  const byStart = new Map<string, Term[]>()
  const byEnd = new Map<string, Term[]>()
  const stems = new Map<string, string>()
  const owned = new Map<string, number>()

  const file = (bucket: Map<string, Term[]>, key: string, term: Term): void => {
    const filed = bucket.get(key)
    if (filed === undefined) bucket.set(key, [term])
    else filed.push(term)
  }

  return {
    own(text, owner) {
      const known = byText.get(text)
      if (known !== undefined) return known
      const count = owner === undefined ? 0 : (owned.get(owner) ?? 0)
      if (count >= MAX_OWNED) return undefined
      if (owner !== undefined) owned.set(owner, count + 1)
      const term = { text, number: terms.length, postings: emptyPostings() }
      terms.push(term)
      byText.set(text, term)
      if (isPlain(text)) {
        file(byStart, text.slice(0, EDGE), term)
        file(byEnd, text.slice(-EDGE), term)
      }
      return term
    },
    find(text) {
      const term = byText.get(text)
      return term !== undefined && term.postings.length > 0 ? term : undefined
    },
    at: (number) => terms[number],
    stem(word) {
      const known = stems.get(word)
      if (known !== undefined) return known
      // Only a cache: a dropped entry is computed again.
      if (stems.size >= MAX_STEMS) stems.clear()
      const cut = stem(word)
      stems.set(word, cut)
      return cut
    },
    near(text) {
      if (text.length < LEAST_NEAR || !isPlain(text)) return []
      const tables = [byStart.get(text.slice(0, EDGE)) ?? [], byEnd.get(text.slice(-EDGE)) ?? []]
      const candidates = new Set(tables.flatMap((bucket) => bucket.slice(0, MAX_SCANNED)))
      const found = [...candidates].flatMap((term) => {
        const by = documentsIn(term.postings) === 0 ? undefined : likeness(text, term.text)
        return by === undefined ? [] : [{ term, by }]
      })
      found.sort((a, b) => nearness(text, b) - nearness(text, a) || (a.term.text < b.term.text ? -1 : 1))
      return found.slice(0, MAX_NEAR)
    },
  }
}

const isPlain = (text: string): boolean => text.length > EDGE && text.length <= 24 && /^[a-z]+$/.test(text)

const nearness = (text: string, { term, by }: Near): number =>
  (by === 'typo' ? 100 : 0) - Math.abs(term.text.length - text.length)

function likeness(text: string, other: string): Near['by'] | undefined {
  const gap = Math.abs(text.length - other.length)
  if (gap <= 2 && isOneSlip(text, other)) return 'typo'
  const short = Math.min(text.length, other.length)
  return short >= LEAST_NEAR && gap <= 4 && (text.startsWith(other) || other.startsWith(text)) ? 'prefix' : undefined
}

/** One letter more, less or different, or two adjacent letters swapped. */
function isOneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
}
