import { assignmentAt, nameEnd } from './assignment.ts'
import type { TextPlace } from './checks.ts'
import type { CompiledRules, KeywordUse } from './compile-rules.ts'
import { bitsAt, bitsOfText } from './number-rules.ts'
import type { CompiledContentRule, TextMatch } from './rule.ts'
import { stableMatches } from './stable-matches.ts'
import { isHarmless, namesWord, wordsOf } from './secret-name.ts'
import { type RankedMatch, tryAt, tryEverywhere, tryValue } from './try-rule.ts'

/**
 * Everything sensitive in a text, located in the original text, without overlaps, in order.
 * INVARIANT: the work is bounded by a constant times the length of the text (law in find-sensitive.test.ts).
 */
export function findSensitive(text: string, rules: CompiledRules): TextMatch[] {
  const search = (shown: string) => locate(shown, rules).spans
  return stableMatches(text, search(text), search)
}

/** The findings of one pass, including overlaps, with the most steps that the attempts could have taken. */
export function locate(
  text: string,
  rules: CompiledRules,
): { readonly spans: readonly RankedMatch[]; readonly steps: number } {
  if (rules.needs_keyword && !holdsKeyword(text, rules)) return NOTHING
  const search = new Search(text, rules)
  search.walk()
  return { spans: search.spans, steps: search.steps }
}

/** Whether a text contains a keyword of one of the rules. */
function holdsKeyword(
  text: string,
  { finder: { symbols, width, next, first_end, ends }, uses }: CompiledRules,
): boolean {
  let state = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    state = next[state * width + (code < symbols.length ? (symbols[code] ?? 0) : 0)] ?? 0
    if (state < first_end) continue
    for (const index of ends[state] ?? NONE) if (uses[index] !== undefined) return true
  }
  return false
}

/** The same for ASCII codes. */
export function holdsKeywordIn(codes: Uint8Array, length: number, { finder, uses }: CompiledRules): boolean {
  const { symbols, width, next, first_end, ends } = finder
  let state = 0
  for (let at = 0; at < length; at++) {
    state = next[state * width + (symbols[codes[at] ?? 0] ?? 0)] ?? 0
    if (state < first_end) continue
    for (const index of ends[state] ?? NONE) if (uses[index] !== undefined) return true
  }
  return false
}

const NO_SPANS: readonly RankedMatch[] = []
const NOTHING = { spans: NO_SPANS, steps: 0 }

/** What a field's name says about its whole value, as in `{"password": "…"}`. */
export function locateInField(name: string, value: string, rules: CompiledRules): readonly RankedMatch[] {
  const uses = rules.names.get(name) ?? rules.names.set(name, usesIn(name, rules))
  if (uses.length === 0) return NO_SPANS
  const search = new Search(name, rules)
  search.judgeField(value, uses)
  return search.spans
}

/** The rules for values whose keyword is in a name. */
function usesIn(name: string, { finder, uses }: CompiledRules): readonly KeywordUse[] {
  const { symbols, width, next, ends } = finder
  const lower = name.toLowerCase()
  const found: KeywordUse[] = []
  let state = 0
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at)
    state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
    for (const index of ends[state] ?? NONE) {
      const use = uses[index]
      if (use !== undefined && use.values.length > 0) found.push(use)
    }
  }
  return found
}

const DIGIT = 1
const LETTER = 2
const OTHER_WORD = 3
const CLASS_OF = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return DIGIT
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return LETTER
  return code === 95 ? OTHER_WORD : 0
})
const BACKSLASH = 92
const ESCAPED = new Set(Array.from('nrt', (letter) => letter.charCodeAt(0)))
const MOST_LETTERS_OF_CODE = 6
const NONE: readonly number[] = []

/** One pass over one text. */
class Search {
  readonly spans: RankedMatch[] = []
  steps = 0
  private readonly text: string
  private readonly rules: CompiledRules
  // Allocated on first use: most texts contain no keyword.
  private scanned: Set<CompiledContentRule> | undefined
  private valuesSeen: Set<CompiledContentRule> | undefined
  private nameSeen = -1
  private numberBits: number | undefined

  constructor(text: string, rules: CompiledRules) {
    this.text = text
    this.rules = rules
  }

  walk(): void {
    const { text } = this
    const { symbols, width, next, first_end, ends } = this.rules.finder
    let state = 0
    let wordStart = -1
    let onlyLetters = false
    let previous = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
      if (state >= first_end) for (const index of ends[state] ?? NONE) this.meet(this.rules.uses[index], at + 1)
      // An escape, such as `\n` inside JSON text, separates words like the character it represents.
      const isEscape = previous === BACKSLASH && ESCAPED.has(code)
      const kind = code < 128 && !isEscape ? CLASS_OF[code] : 0
      previous = code
      if (kind === 0) {
        wordStart = -1
        if (code === 58) this.meetColon(at)
        continue
      }
      if (wordStart === -1) {
        wordStart = at
        onlyLetters = kind === LETTER
        if (kind === DIGIT) this.meetNumber(at)
        continue
      }
      if (!onlyLetters) continue
      if (kind === DIGIT && at - wordStart <= MOST_LETTERS_OF_CODE) this.tryAll(this.rules.code, wordStart)
      if (kind !== LETTER) onlyLetters = false
    }
    for (const rule of this.rules.everywhere) this.scan(rule)
  }

  /** Applies the rules for values whose keyword is in this field's name. */
  judgeField(value: string, uses: readonly KeywordUse[]): void {
    for (const use of uses)
      this.judge(use, { text: value, start: 0, end: value.length, name: this.text, quoted: true, field: true })
  }

  private meet(use: KeywordUse | undefined, end: number): void {
    if (use === undefined) return
    const start = end - use.keyword.length
    this.tryAll(use.here, start)
    for (const rule of use.anywhere) this.scan(rule)
    if (use.least_value > this.text.length - end) return
    // Keywords in the same name lead to the same value, so each rule is judged once per name.
    const name = nameEnd(this.text, end)
    if (name !== this.nameSeen) this.valuesSeen = undefined
    this.nameSeen = name
    const { valuesSeen } = this
    if (valuesSeen !== undefined && use.values.every((rule) => valuesSeen.has(rule))) return
    const assignment = assignmentAt(this.text, start, end)
    if (assignment === undefined) return
    this.judge(use, { text: this.text, ...assignment })
  }

  private judge(use: KeywordUse, place: TextPlace & { readonly name: string }): void {
    const length = place.end - place.start
    if (use.least_value > length) return
    const words = wordsOf(place.name)
    const isNamed = namesWord(words, use.keyword) && !isHarmless(words)
    this.valuesSeen ??= new Set()
    for (const rule of use.values) {
      if (rule.least > length || this.valuesSeen.has(rule) || !(rule.glued || isNamed)) continue
      this.valuesSeen.add(rule)
      this.steps += rule.cost
      const span = tryValue(rule, place)
      if (span !== undefined) this.spans.push(span)
    }
  }

  private meetNumber(at: number): void {
    const before = this.text.charCodeAt(at - 1)
    // The middle of `1.2.3.4` or `555-0100` is not a start; the first group was.
    if ((before === 46 || before === 45 || before === 47) && isDigit(this.text.charCodeAt(at - 2))) return
    if (!isInnerGroup(this.text, at) && isLongNumber(this.text, at)) this.tryNumber(at)
  }

  private tryNumber(at: number): void {
    const { number } = this.rules
    this.numberBits ??= bitsOfText(this.text, number)
    const bits = bitsAt(this.text, at, this.numberBits, number)
    for (const one of number.rules) {
      // Also without an attempt, because the shapes of all rules were tried together.
      this.steps += one.rule.cost
      if ((one.bits & bits) === 0) continue
      const span = tryAt(one.rule, this.text, at)
      if (span !== undefined) this.spans.push(span)
    }
  }

  private meetColon(at: number): void {
    const { text } = this
    if (!isHexOrColon(text.charCodeAt(at + 1))) return
    let start = at
    while (start > 0 && at - start < 4 && isHex(text.charCodeAt(start - 1))) start -= 1
    const before = start === 0 ? 0 : text.charCodeAt(start - 1)
    if (before === 58 || before === 46 || (before < 128 && CLASS_OF[before] !== 0)) return
    this.tryAll(this.rules.colon, start)
  }

  private tryAll(rules: readonly CompiledContentRule[], at: number): void {
    const left = this.text.length - at
    for (const rule of rules) {
      if (rule.least > left + rule.back) continue
      this.steps += rule.cost
      const span = tryAt(rule, this.text, at)
      if (span !== undefined) this.spans.push(span)
    }
  }

  private scan(rule: CompiledContentRule): void {
    if (rule.least > this.text.length) return
    if (rule.keywords.length > 0) {
      this.scanned ??= new Set()
      if (this.scanned.has(rule)) return
      this.scanned.add(rule)
    }
    this.steps += rule.cost * this.text.length
    tryEverywhere(rule, this.text, this.spans)
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isHex = (code: number): boolean => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
const isHexOrColon = (code: number): boolean => code === 58 || isHex(code)

/** Whether the text here can be one of the numbers we look for: at least six digits nearby, or an address with three dots. */
function isLongNumber(text: string, at: number): boolean {
  let digits = 0
  let dots = 0
  let brackets = 0
  for (let index = at; index < at + 20; index++) {
    const code = text.charCodeAt(index)
    if (isDigit(code)) digits += 1
    else if (code === 46) dots += 1
    else if (code === 40) brackets += 1
    else if (code !== 32 && code !== 41 && code !== 45 && code !== 47) break
    if (brackets > 1) break
    if (digits >= 6 || dots >= 3) return true
  }
  return false
}

/** A number of one or two digits between others, as in a column of small numbers: the first of them was the start. */
function isInnerGroup(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== 32 || !isDigit(text.charCodeAt(at - 2))) return false
  return text.charCodeAt(at + 1) === 32 || (isDigit(text.charCodeAt(at + 1)) && text.charCodeAt(at + 2) === 32)
}
