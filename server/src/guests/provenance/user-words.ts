import { eachSentence, nounsIn, readFrame } from './frames.ts'
import { FUNCTION, meaningOf } from './lexicon/vocabulary.ts'
import { dayOf, daysIn, numberIn, numbersIn } from './quantities.ts'
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
        const { groups, asks, mood } = readFrame(words, from, to)
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
