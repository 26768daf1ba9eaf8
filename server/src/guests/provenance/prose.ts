import { FUNCTION, meaningOf } from './lexicon/vocabulary.ts'
import { eachSentence, readClause } from './clauses.ts'
import { JOINED, NAME, type Words } from './text.ts'

/** What kind of text it is, as far as decisions need it. */
export type ProseReading = {
  /** Sentences, or a short imperative. Text that is not prose is data: a field. */
  readonly prose: boolean
  /** It asks for something, or cannot be understood. */
  readonly asks: boolean
  /** The actions it asks for; 0 if none is in a lexicon, so it may mean any action. */
  readonly groups: number
}

const DATA: ProseReading = { prose: false, asks: false, groups: 0 }
/** Fewer words than this are a title or a name unless they ask for something. */
const SENTENCE = 5
/** A text of this many words without function words is in an unknown language. */
const UNREADABLE = 6

export function readProse(words: Words, text: string): ProseReading {
  if (words.length < 2 || isOneToken(words)) return DATA
  let asks = false
  let groups = 0
  let open = false
  let sentences = 0
  let illegible = 0
  eachSentence(words, (from, to) => {
    const frame = readClause(words, from, to)
    if (frame.asks) {
      asks = true
      groups |= frame.groups
      open ||= frame.open
    }
    if (to - from >= SENTENCE && holdsTogether(words, from, to)) sentences += 1
    if (!frame.legible && to - from >= UNREADABLE && !isListing(words, from, to)) illegible += 1
  })
  if (illegible > 0) return { prose: true, asks: true, groups: 0 }
  return { prose: asks || sentences > 0 || isShortSentence(words, text), asks, groups: open ? 0 : groups }
}

const SHORT_SENTENCE = 3
/** A period, exclamation or question mark at the end, possibly before a closing quotation mark. */
const SENTENCE_ENDS = /[.!?…]["'”’)\]\s]{0,4}$/

/**
 * `Spin up purge-all.` has no function words but is a sentence because of its period. Names that end in a period are capitalized:
 * `Acme Trading Inc.`
 */
function isShortSentence({ before, length }: Words, text: string): boolean {
  if (length < SHORT_SENTENCE || !SENTENCE_ENDS.test(text.slice(-8))) return false
  for (let i = 1; i < length; i += 1) if (((before[i] ?? 0) & (NAME | JOINED)) === 0) return true
  return false
}

/** An identifier, an address, a number: without spaces. */
function isOneToken({ before, length }: Words): boolean {
  for (let i = 1; i < length; i += 1) if (((before[i] ?? 0) & JOINED) === 0) return false
  return true
}

/** Two function words among few others. */
function holdsTogether({ full }: Words, from: number, to: number): boolean {
  let found = 0
  for (let i = from; i < to; i += 1) if ((meaningOf(full[i] ?? 0) & FUNCTION) !== 0) found += 1
  return found >= 2 && found * 6 >= to - from
}

/** A sequence of names, numbers and codes is a listing, not a sentence in an unknown language. */
function isListing({ before }: Words, from: number, to: number): boolean {
  let named = 0
  for (let i = from; i < to; i += 1) if (((before[i] ?? 0) & (8 | 2)) !== 0) named += 1
  return named * 2 >= to - from
}
