import type { CompiledContentRule } from './rule.ts'
import { buildWordFinder, type WordFinder } from '../../kernel/text/word-finder.ts'

/**
 * The rules that are tried at a number, with two quick tests. There are some thirty of them, and at most numbers all but one or two
 * fail: they need a word nearby that the text does not contain, or a shape that the number does not have.
 */
export type NumberRules = {
  /** In their order. */
  readonly rules: readonly NumberRule[]
  /** The words that rules need nearby, up to their first space; and for each of them, the rules that need it, as bits. */
  readonly words: WordFinder
  readonly needs: readonly number[]
  /** Matches where one of the rules with a shape does. */
  readonly shape: RegExp | undefined
}

/** `bits`: a rule is tried if one of them is set. */
type NumberRule = { readonly rule: CompiledContentRule; readonly bits: number }

const ALWAYS = 1
const SHAPED = 2
const CARD = 4
const FIRST_NEAR = 3
const LAST_NEAR = 30
const ALL = -1

export function numberRules(rules: readonly CompiledContentRule[]): NumberRules {
  const shaped = rules.filter(hasShape)
  const named = rules.filter(({ near }) => near.length > 0)
  const bitOf = (rule: CompiledContentRule): number => {
    if (shaped.includes(rule)) return SHAPED
    if (isCard(rule)) return CARD
    // If there are more rules than bits, the last ones share a bit.
    return rule.near.length === 0 ? ALWAYS : 1 << Math.min(FIRST_NEAR + named.indexOf(rule), LAST_NEAR)
  }
  const words = new Map<string, number>([[MARK, ALL]])
  for (const rule of named)
    for (const word of rule.near.map(firstPart)) words.set(word, (words.get(word) ?? 0) | bitOf(rule))
  return {
    rules: rules.map((rule) => ({ rule, bits: bitOf(rule) })),
    words: buildWordFinder([...words.keys()]),
    needs: [...words.values()],
    shape: shaped.length === 0 ? undefined : new RegExp(shaped.map(({ pattern }) => `(?:${pattern})`).join('|'), 'y'),
  }
}

/** Words are looked for before and after a number, with a space in between: a part without spaces is in the text itself. */
const firstPart = (word: string): string => word.split(' ').find((part) => part !== '') ?? word
/** Redaction marks are removed before words are looked for, so a text with one may contain a word in two parts. */
const MARK = 'redacted_'

/** Plain digits, as they occur everywhere: a rule that matches all of these needs no quick test. */
const PLAIN = ['41111111', '411111111111', '4111111111111111']

/** Patterns contain no references to groups, so several can be tried as one, unless they name groups. */
const hasShape = ({ near, back, ignoreCase, pattern }: CompiledContentRule): boolean =>
  near.length === 0 &&
  back === 0 &&
  !ignoreCase &&
  !/\(\?<[A-Za-z]/.test(pattern) &&
  !PLAIN.every((digits) => new RegExp(`^(?:${pattern})`).test(digits))

/**
 * The bits of the rules whose words a text may contain, whatever the number.
 * INVARIANT: a rule whose bit is not set finds nothing in the text (law in number-rules.test.ts).
 */
export function bitsOfText(text: string, { words, needs }: NumberRules): number {
  const { symbols, width, next, first_end, ends } = words
  let state = 0
  let bits = ALWAYS
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Words may contain other letters, and the lower case of some of these is ASCII.
    if (code >= 128) return ALL & ~SHAPED & ~CARD
    state = next[state * width + (symbols[code] ?? 0)] ?? 0
    if (state >= first_end) for (const index of ends[state] ?? []) bits |= needs[index] ?? 0
  }
  return bits & ~SHAPED & ~CARD
}

/** The same for one number of the text, including the rules whose shape it may have. */
export function bitsAt(text: string, at: number, bits: number, { shape }: NumberRules): number {
  const known = hasDigits(text, at, SHORTEST_CARD) ? bits | CARD : bits
  if (shape === undefined) return known
  shape.lastIndex = at
  return shape.test(text) ? known | SHAPED : known
}

/** The check for payment cards needs this many digits in a match, which begins at the number. */
const SHORTEST_CARD = 13
const isCard = ({ check, back, near }: CompiledContentRule): boolean =>
  check === 'payment-card' && back === 0 && near.length === 0

/** Whether a text contains so many digits from a position on. */
function hasDigits(text: string, from: number, least: number): boolean {
  let digits = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) digits += 1
    if (digits === least) return true
  }
  return false
}
