import { ERROR_WORDS, MARKERS } from './lexicon/moods.ts'
import { BREAK, CELL, ENDING, JOINED, NAME, PAUSE, STRANGE, hashWord, type Words } from './text.ts'
import {
  ALL_GROUPS,
  BASE,
  FUNCTION,
  LAST,
  MARKER,
  NOUNISH,
  OTHER,
  VAGUE,
  conceptOf,
  meaningOf,
  moodBit,
} from './lexicon/vocabulary.ts'

/** What a piece of text asks for, and what it is about. */
export type ProseClause = {
  /** It asks for something. */
  readonly asks: boolean
  /** The verb groups of all its action words, as a bit set. 0: no known action. */
  readonly groups: number
  /** How strongly: an instruction to the reader, or a wish or an obligation. */
  readonly mood: 'none' | 'indirect' | 'direct'
  /** It names no action, or only some words of its language are known: it may mean any action. */
  readonly open: boolean
  /** It is a sentence in a known language. */
  readonly legible: boolean
}

const PLEASE = moodBit('please')
const YOU = moodBit('you')
const MODAL = moodBit('modal')
const WISH = moodBit('wish')
const FIRST = moodBit('first')
const OPENER = moodBit('opener')
const DETERMINER = moodBit('determiner')
const URGE = moodBit('urge')
const PREPOSITION = moodBit('preposition')

const words = (text: string): ReadonlySet<number> => new Set(text.split(' ').map(hashWord))
const DUTY = words(MARKERS.duty)
const OBJECT_STARTS = words(
  'the my your our this these all me it him them us its das die den mein dein el la los las mi tu',
)
const TO = words('to zu que be by')
const FINITE = words('is are was were has have had been ist sind war waren hat hatte wurde wurden es fue son eran ha')
/** `Request failed with status 404`: words after a noun in an error message. */
const FAILED = words(ERROR_WORDS.failed)
const AFTER_FAILED = words(ERROR_WORDS.after)
const BE = words(MARKERS.be)
const LET = words(MARKERS.let)
const TIME = words(MARKERS.time)
const WELCOME = words(MARKERS.welcome)
const HAVE = words(MARKERS.have)
const ITEM = words(MARKERS.item)
const AWAY = words(MARKERS.away)
const MAY = words(MARKERS.may)
const ANYBODY = words(MARKERS.anybody)

/** Analyzes the words from `from` up to `to` (a sentence or a clause). Linear, without backtracking. */
export function readClause(text: Words, from: number, to: number): ProseClause {
  const { full, before } = text
  let groups = 0
  let direct = false
  let indirect = false
  let known = 0
  let other = 0
  let vague = false
  let strange = 0
  let sinceYou = 99
  let sinceModal = 99
  let sinceFirst = 99
  let sinceDuty = 99
  let sinceLet = 99
  let sinceTime = 99
  let previous = 0
  for (let i = from; i < to; i += 1) {
    const word = full[i] ?? 0
    const marks = before[i] ?? 0
    const bits = meaningOf(word)
    const acts = bits & ALL_GROUPS
    if ((bits & FUNCTION) !== 0) known += 1
    if ((bits & OTHER) !== 0) other += 1
    if ((bits & VAGUE) !== 0) vague = true
    if ((marks & STRANGE) !== 0) strange += 1
    groups |= acts
    sinceYou += 1
    sinceModal += 1
    sinceFirst += 1
    sinceDuty += 1
    sinceLet += 1
    sinceTime += 1
    if ((bits & PLEASE) !== 0) direct = true
    if ((bits & YOU) !== 0) {
      if (sinceModal <= 2) direct = true
      sinceYou = 0
    }
    if ((bits & MODAL) !== 0) {
      if (sinceYou <= 2) direct = true
      sinceModal = 0
    }
    if ((bits & WISH) !== 0 && sinceFirst <= 4) indirect = true
    if ((bits & FIRST) !== 0) {
      if (sinceModal === 1 && (before[i - 1] ?? 0) !== 0) indirect = true
      sinceFirst = 0
    }
    if (acts !== 0) {
      if (sinceDuty <= 5 || sinceTime <= 4) indirect = true
      if (sinceLet <= 3) direct = true
      if ((bits & LAST) !== 0 && i > from && (i + 1 === to || isEdge(before[i + 1] ?? 0))) direct = true
      const isItem =
        (marks & CELL) !== 0 || (i === from + 2 && ITEM.has(full[from] ?? 0) && ((before[from + 1] ?? 0) & NAME) !== 0)
      const starts =
        i === from ||
        isItem ||
        isEdge(marks) ||
        (previous & (OPENER | PLEASE)) !== 0 ||
        (i === from + 1 && MAY.has(full[from] ?? 0))
      if ((bits & BASE) !== 0 && starts && (marks & JOINED) === 0 && isOrder(text, bits, i, to, isItem)) direct = true
    }
    if ((bits & URGE) !== 0 && (i === from || isEdge(marks) || (previous & (OPENER | BASE)) !== 0)) direct = true
    if (bits === 0 && (i === from || isEdge(marks)) && isUnknownOrder(text, i, to)) direct = true
    if ((bits & MARKER) !== 0) {
      const isDuty = DUTY.has(word)
      if (isDuty && sinceFirst <= 2) indirect = true
      // `The ticket can be closed.`
      if (BE.has(word) && sinceModal <= 2) sinceDuty = 3
      // `Ticket 77 to be closed`, as in notes. A complete sentence has more such words before it.
      if (BE.has(word) && TO.has(full[i - 1] ?? 0) && known <= 2) sinceDuty = 0
      if (isDuty || (HAVE.has(word) && TO.has(full[i + 1] ?? 0))) sinceDuty = 0
      if (WELCOME.has(word) && sinceModal <= 3) indirect = true
      if (LET.has(word)) sinceLet = 0
      // `Let Rolf in.`
      if (sinceLet === 0 && (i === from || isEdge(marks)) && i + 2 < to && !isEdge(before[i + 1] ?? 0)) direct = true
      if (ANYBODY.has(word) && sinceModal === 1) indirect = true
      if (AWAY.has(word) && sinceModal <= 4) direct = true
      if (TIME.has(word)) sinceTime = 0
    }
    // `let's` and `let us` ask for whatever follows.
    if (sinceLet === 1 && ((marks & JOINED) !== 0 || (bits & FIRST) !== 0)) direct = true
    previous = bits
  }
  const length = to - from
  const legible = strange * 3 < length && (length < 5 || known * 8 >= length)
  const open = vague || other * 2 > known
  return { asks: direct || indirect, open, groups, mood: direct ? 'direct' : indirect ? 'indirect' : 'none', legible }
}

const isEdge = (marks: number): boolean => (marks & (BREAK | PAUSE | CELL)) !== 0

/**
 * A verb in its base form, where an imperative can begin, is one unless it is a noun there: `order the book`, but not `order
 * history`.
 */
function isOrder({ full, before }: Words, bits: number, i: number, sentence: number, isItem: boolean): boolean {
  if (i + 1 >= sentence) return false
  // The item ends where the next cell begins.
  let to = i + 1
  while (to < sentence && ((before[to] ?? 0) & CELL) === 0) to += 1
  if (i + 1 >= to) return false
  const next = full[i + 1] ?? 0
  const marks = before[i + 1] ?? 0
  if ((marks & (BREAK | JOINED)) !== 0) return false
  const own = before[i] ?? 0
  // A capital letter inside a sentence starts a title: `Contact Information`.
  if (!isItem && (own & NAME) !== 0 && (own & BREAK) === 0 && (bits & NOUNISH) !== 0) return false
  const meaning = meaningOf(next)
  // `Order volumes were`: a verb that follows makes the first word a noun.
  for (let after = i + 1; after < Math.min(to, i + 5); after += 1) if (FINITE.has(full[after] ?? 0)) return false
  if (FAILED.has(next) && (i + 2 >= to || isEdge(before[i + 2] ?? 0) || AFTER_FAILED.has(full[i + 2] ?? 0)))
    return false
  if ((bits & NOUNISH) === 0)
    return (meaning & FUNCTION) === 0 || (meaning & DETERMINER) !== 0 || TO.has(next) || !isEdge(marks)
  return (
    (meaning & DETERMINER) !== 0 ||
    ((marks & NAME) !== 0 && to - i > 3) ||
    (to - i > 2 && (meaning & (ALL_GROUPS | FUNCTION)) === 0)
  )
}

/** An unknown word, where an imperative can begin, before something that only starts an object: `orchestrate the trip`. */
function isUnknownOrder({ full, before, at }: Words, i: number, to: number): boolean {
  if (i + 2 >= to) return false
  const marks = before[i + 1] ?? 0
  const length = (at[i + 1] ?? 0) - (at[i] ?? 0)
  if (isEdge(marks) || (marks & JOINED) !== 0 || ((before[i] ?? 0) & ENDING) !== 0 || length < 4 || length > 14)
    return false
  return OBJECT_STARTS.has(full[i + 1] ?? 0) && (meaningOf(full[i] ?? 0) & PREPOSITION) === 0
}

/** The concepts in a piece of text, without its function words. */
export function nounsIn({ full, stem }: Words, from: number, to: number): Set<number> {
  const found = new Set<number>()
  for (let i = from; i < to; i += 1) {
    if ((meaningOf(full[i] ?? 0) & (FUNCTION | FIRST | YOU)) === 0) found.add(conceptOf(stem[i] ?? 0))
  }
  return found
}

/** Calls `each` with the bounds of every sentence. */
export function eachSentence({ before, length }: Words, each: (from: number, to: number) => void): void {
  let from = 0
  for (let i = 1; i <= length; i += 1) {
    if (i < length && ((before[i] ?? 0) & BREAK) === 0) continue
    each(from, i)
    from = i
  }
}
