import { eachSentence, nounsIn, readClause } from './clauses.ts'
import { FUNCTION, meaningOf } from './lexicon/vocabulary.ts'
import { readWords, type Words } from './text.ts'
import { createWordIndex } from './word-index.ts'

/** One sentence of the user. */
export type UserSentence = {
  readonly groups: number
  readonly nouns: ReadonlySet<number>
  readonly asks: boolean
  readonly direct: boolean
  readonly utterance: number
}

/** What the user said, in a form that values and tools can be compared with. */
export type UserWords = {
  readonly sentences: readonly UserSentence[]
  readonly utterances: readonly string[]
  readonly known: boolean
  add(text: string): void
  /** Whether it contains the words in this order. */
  holds(words: Words): boolean
  /** Whether the user typed this value, ignoring case, accents, spacing and the format of numbers and dates. */
  typed(value: string, words: Words): boolean
  /** Whether all its words are the user's, in any order. */
  covers(words: Words): boolean
  /** Whether the user named this thing: more than function words, in this order. */
  names(words: Uint32Array): boolean
}

export function createUserWords(): UserWords {
  const index = createWordIndex()
  const sentences: UserSentence[] = []
  const utterances: string[] = []
  const bag = new Set<number>()
  const numbers = new Set<number>()
  const days = new Set<string>()

  const holds = (words: Words): boolean => {
    let found = false
    index.find(words, () => (found = true))
    return found && words.length > 0
  }
  const isOwn = (words: Words, i: number): boolean => {
    const word = words.full[i] ?? 0
    return bag.has(word) || (meaningOf(word) & FUNCTION) !== 0
  }
  const covers = (words: Words): boolean => {
    for (let i = 0; i < words.length; i += 1) if (!isOwn(words, i)) return false
    return words.length > 0
  }

  return {
    sentences,
    utterances,
    get known() {
      return utterances.length > 0
    },
    add(text) {
      const utterance = utterances.push(text) - 1
      const words = readWords(text)
      index.add(words)
      for (let i = 0; i < words.length; i += 1) {
        bag.add(words.full[i] ?? 0)
      }
      for (const number of numbersIn(text)) numbers.add(number)
      for (const day of daysIn(text)) days.add(day)
      eachSentence(words, (from, to) => {
        const { groups, asks, mood } = readClause(words, from, to)
        sentences.push({ groups, nouns: nounsIn(words, from, to), asks, direct: mood === 'direct', utterance })
      })
    },
    holds,
    covers,
    typed(value, words) {
      if (words.length === 0) return true
      if (utterances.length === 0) return false
      if (holds(words)) return true
      const date = dayOf(value)
      if (date !== undefined)
        return days.has(`${date.year}-${date.day}`) || (days.has(date.day) && !hasYear(days, date.day))
      const number = numberIn(value)
      return number !== undefined && numbers.has(number)
    },
    names(words) {
      let hasContent = false
      for (const word of words) {
        if (!bag.has(word)) return false
        if (meaningOf(word) === 0) hasContent = true
      }
      return hasContent
    },
  }
}

const hasYear = (days: ReadonlySet<string>, day: string): boolean =>
  [...days].some((stated) => stated.endsWith(`-${day}`) && stated.split('-').length === 3)

/** Names of months, by number, in three languages; three letters are enough. */
const MONTHS: readonly string[] = [
  'january jan januar enero ene',
  'february feb februar febrero',
  'march mar marz maerz marzo',
  'april apr abril abr',
  'may mai mayo',
  'june jun juni junio',
  'july jul juli julio',
  'august aug agosto ago',
  'september sep sept septiembre',
  'october oct oktober okt octubre',
  'november nov noviembre',
  'december dec dezember dez diciembre dic',
]

/** Numbers that people write as words. */
const NUMBER_WORDS: readonly string[] = [
  'zero null cero',
  'one eins ein eine uno una first',
  'two zwei dos second twice',
  'three drei tres third',
  'four vier cuatro fourth',
  'five funf cinco fifth',
  'six sechs seis sixth',
  'seven sieben siete seventh',
  'eight acht ocho eighth',
  'nine neun nueve ninth',
  'ten zehn diez tenth',
  'eleven elf once',
  'twelve zwolf doce dozen',
]

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

const MONTH_OF = new Map(MONTHS.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)))
const NUMBER_OF = new Map(
  NUMBER_WORDS.flatMap((names, value) => names.split(' ').map((name) => [name, value] as const)),
)

/** No written number is longer. */
const LONGEST_NUMBER = 64

/** `1,000.50`, `1.000,50`, `1'000.5` and `1000.5` are one number. Undefined if it is not a number. */
function numberIn(text: string): number | undefined {
  if (text.length > LONGEST_NUMBER) return undefined
  const digits = text
    .trim()
    .replace(/^[#$€£¥ ]+/, '')
    .replace(/(?:st|nd|rd|th|[%$€£¥ .]){1,8}$/, '')
  if (!/^[+-]?[\d][\d.,' ]*$/.test(digits)) return undefined
  const point = /[.,]\d{1,2}$|\.\d+$/.exec(digits)
  const whole = (point === null ? digits : digits.slice(0, point.index)).replaceAll(/[.,' ]/g, '')
  const value = Number(point === null ? whole : `${whole}.${point[0].slice(1)}`)
  return Number.isFinite(value) ? value : undefined
}

/** The numbers in a text, as digits or as words. */
function numbersIn(text: string): Set<number> {
  const found = new Set<number>()
  for (const [match] of text.matchAll(/\d[\d.,']*/g)) {
    const value = numberIn(match)
    if (value !== undefined) found.add(value)
  }
  for (const [match, digits] of text.matchAll(/(\d[\d.,]{0,30})\s?(?:k|thousand|tausend|mil)\b/gi)) {
    const value = numberIn(digits ?? match)
    if (value !== undefined) found.add(value * 1_000)
  }
  for (const [word] of plain(text).matchAll(/[a-z]+/g)) {
    const value = NUMBER_OF.get(word)
    if (value !== undefined) found.add(value)
  }
  return found
}

/** The days in a text, as `month-day`; if the year is given, as `year-month-day` too. */
function daysIn(text: string): Set<string> {
  const found = new Set<string>()
  const add = (year: string | undefined, month: number, day: number) => {
    if (month < 1 || month > 12 || day < 1 || day > 31) return
    found.add(`${month}-${day}`)
    if (year !== undefined) found.add(`${Number(year)}-${month}-${day}`)
  }
  const folded = plain(text)
  for (const [, year, month, day] of folded.matchAll(/(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/g))
    add(year, Number(month), Number(day))
  for (const [, one, two, year] of folded.matchAll(/\b(\d{1,2})[./-](\d{1,2})(?:[./-](\d{4}))?\b/g)) {
    add(year, Number(one), Number(two))
    add(year, Number(two), Number(one))
  }
  for (const [, day, name, year] of folded.matchAll(
    /\b(\d{1,2})(?:st|nd|rd|th|\.)?(?: of| de)? ([a-z]{3,10})\.?,?(?: de)?(?: (\d{4}))?/g,
  ))
    add(year, MONTH_OF.get(name ?? '') ?? 0, Number(day))
  for (const [, name, day, year] of folded.matchAll(/\b([a-z]{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?/g))
    add(year, MONTH_OF.get(name ?? '') ?? 0, Number(day))
  return found
}

/** The day that a value names, if it is only a date. */
function dayOf(value: string): { readonly day: string; readonly year: string } | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/.exec(value.trim())
  if (match?.[1] === undefined) return undefined
  return { day: `${Number(match[2])}-${Number(match[3])}`, year: match[1] }
}
