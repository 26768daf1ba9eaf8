import { type Check, CHECKS, type TextPlace } from './checks.ts'
import { isStandIn } from './placeholder.ts'
import { entropyOf } from './randomness.ts'
import type { CompiledContentRule, TextMatch } from './rule.ts'

/** A finding that may still overlap others. */
export type RankedMatch = TextMatch & { readonly order: number; readonly generic: boolean }

/** Tries a rule at one position of the text. */
export function tryAt(rule: CompiledContentRule, text: string, at: number): RankedMatch | undefined {
  const start = at - rule.back
  if (start < 0 || (rule.at === 'keyword' && !rule.glued && !startsWord(text, start))) return undefined
  rule.regex.lastIndex = start
  const match = rule.regex.exec(text)
  if (match === null || (isByChance(rule) && isInBlob(text, start))) return undefined
  return accepted(rule, match, { text, start: 0, end: 0 }, 0)
}

/** A keyword that occurs by chance in random text: a picture in base64 has one in every few hundred characters. */
const isByChance = ({ at, keywords }: CompiledContentRule): boolean =>
  at === 'keyword' && keywords.every((word) => /^\w{1,3}$/.test(word))

const BLOB = 300
const isBlobChar = (text: string, at: number): boolean => /[A-Za-z0-9+/]/.test(text.charAt(at))

/** Whether a position is in the middle of a long run of base64: a picture, an archive. */
function isInBlob(text: string, at: number): boolean {
  let start = at
  while (start > 0 && at - start < BLOB && isBlobChar(text, start - 1)) start -= 1
  let end = at
  while (end < text.length && end - start < BLOB && isBlobChar(text, end)) end += 1
  return end - start >= BLOB
}

/** Tries a rule on a value, which has to match as a whole. */
export function tryValue(rule: CompiledContentRule, place: TextPlace): RankedMatch | undefined {
  rule.regex.lastIndex = 0
  const match = rule.regex.exec(place.text.slice(place.start, place.end))
  return match === null ? undefined : accepted(rule, match, place, place.start)
}

/** Tries a rule at every position, and adds what it finds. */
export function tryEverywhere(rule: CompiledContentRule, text: string, spans: RankedMatch[]): void {
  rule.regex.lastIndex = 0
  for (let match = rule.regex.exec(text); match !== null; match = rule.regex.exec(text)) {
    const span = accepted(rule, match, { text, start: 0, end: 0 }, 0)
    if (span !== undefined) spans.push(span)
    // A rejected match may hide an acceptable one that begins inside it.
    if (span === undefined) rule.regex.lastIndex = match.index + 1
  }
}

function accepted(
  rule: CompiledContentRule,
  match: RegExpExecArray,
  place: TextPlace,
  offset: number,
): RankedMatch | undefined {
  const [from, to] = match.indices?.[rule.group] ?? [0, 0]
  // If a pattern is tried at a keyword in the middle of its match, the group `pre` is the part before.
  const first = rule.group === 0 ? (match.indices?.groups?.pre?.[0] ?? from) : from
  const start = offset + first
  const part = place.text.slice(start, offset + to)
  if (part === '' || (rule.kind === 'secret' && !rule.literal && isStandIn(part))) return undefined
  if (rule.entropy > 0 && entropyOf(part) < rule.entropy) return undefined
  const length = checkedLength(rule, part, { ...place, start, end: start + part.length })
  if (length === 0 || !isNear(rule, place, start, start + length)) return undefined
  const { type, id, kind, order } = rule
  return {
    type,
    rule: id,
    kind,
    start,
    end: start + length,
    order,
    generic: rule.at === 'value' || rule.at === 'anywhere',
  }
}

function checkedLength(rule: CompiledContentRule, part: string, place: TextPlace): number {
  if (rule.check === undefined) return part.length
  const check: Check = CHECKS[rule.check]
  const answer = check(part, place)
  return typeof answer === 'number' ? answer : answer ? part.length : 0
}

function isNear(rule: CompiledContentRule, place: TextPlace, start: number, end: number): boolean {
  if (rule.near.length === 0) return true
  // An earlier redaction mark says nothing about the text beside it.
  const around = `${place.text.slice(Math.max(0, start - 50), start)} ${place.text.slice(end, end + 30)}`.replace(
    /\[?\w{0,9}REDACTED_\w{1,40}/g,
    '',
  )
  return rule.near.some((word) => hasWord(around, word))
}

/**
 * Whether a text contains a word that starts at a word boundary (`tel` in `userTel`, not in `hotel`); a short one must also end
 * there.
 */
function hasWord(text: string, word: string): boolean {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + 1)) {
    const begins = !/[a-z]/i.test(text.charAt(at - 1)) || /[a-z][A-Z]/.test(text.slice(at - 1, at + 1))
    const ends = word.length > 5 || !/[a-z]/.test(text.charAt(at + word.length))
    if (begins && ends) return true
  }
  return false
}

/** Whether a token can begin here: not inside a word, where an escape (`\n`, `%22`) counts as the end of the previous word. */
function startsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordOrHyphen(text.charCodeAt(at - 1))) return true
  if (text.charCodeAt(at - 2) === 92) return /[nrt]/.test(text.charAt(at - 1))
  return text.charCodeAt(at - 3) === 37 && /^[0-9A-F]{2}$/i.test(text.slice(at - 2, at))
}

/** A letter, a digit, an underscore or a hyphen. */
function isWordOrHyphen(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    code === 45
  )
}
