import { CREDENTIAL_SHAPES, GAP, GAPS, isRandom, plainLetters } from '../../kernel/contract/credential-shape.ts'
import { buildWordFinder, type WordFinder } from '../../kernel/text/word-finder.ts'
import { base64Cores, hexOf, utf8 } from '../../kernel/text/encodings.ts'
import { bytesOfBase64, bytesOfHex } from '../../kernel/text/decode.ts'

/** The gate's own credentials, prepared for searching: some by their format, some by their exact text. */
export type OwnCredentials = {
  readonly needles: readonly Needle[]
  readonly finder: WordFinder
  /** No text with fewer characters contains one. */
  readonly shortest: number
  /** The input of compileOwn, so that another thread can compile it again. */
  readonly known: readonly string[]
}

/** How a credential begins in one encoding; with `whole`, all of it. */
type Needle = {
  readonly text: string
  readonly as: 'plain' | 'hex' | 'base64'
  /** For base64: how many bytes precede the credential in its group of three. */
  readonly before: number
  readonly first: string
  readonly whole: boolean
}
export type Span = { readonly start: number; readonly end: number }

/** How many characters are searched for; the rest is compared where these are found. */
const HINT = 16
/** Longer than a credential in its longest encoding. */
const WINDOW = 600
/** A text with more false starts of encoded credentials was crafted to be slow, and is treated as containing one. */
const MOST_DECODED = 1_000
const MOST_KNOWN = 200
const LONGEST_KNOWN = 256

const KINDS = ['agent', 'user', 'approver', 'reviewer', 'admin', 'node']
const PREFIXES = [...KINDS.map((kind) => `sluice_${kind}_`), 'v1.1', 'v1.2']

/** The shortest text that one of the shapes matches, `sluice_`, a kind of three letters, `_` and 43 characters; encoded it is longer. */
const SHORTEST_SHAPE = 54

/** Credentials that the gate stores only as a digest are recognized by their format; `known` ones by their exact text. */
export function compileOwn(known: readonly string[]): OwnCredentials {
  const needles = [
    ...PREFIXES.flatMap((prefix) => needlesOf(prefix, false)),
    ...[...new Set(known)].slice(0, MOST_KNOWN).flatMap((secret) => needlesOf(secret.slice(0, LONGEST_KNOWN), true)),
  ]
  const wholes = needles.filter(({ whole }) => whole).map(({ text }) => text.length)
  return { needles, finder: buildWordFinder(needles.map(hintOf)), shortest: Math.min(SHORTEST_SHAPE, ...wholes), known }
}

const hintOf = ({ text }: Needle) => text.slice(0, HINT).toLowerCase()

function needlesOf(text: string, whole: boolean): Needle[] {
  const bytes = utf8(text)
  const first = text.slice(0, 1)
  const cores = base64Cores(bytes).flatMap((core, before) =>
    [...new Set([core, core.replaceAll('+', '-').replaceAll('/', '_')])].map((one) => ({ text: one, before, first })),
  )
  return [
    { text: text.replace(GAPS, ''), as: 'plain', before: 0, first, whole },
    { text: hexOf(bytes), as: 'hex', before: 0, first, whole },
    ...cores.map((core) => ({ ...core, as: 'base64' as const, whole })),
  ]
}

/** Where a text contains the gate's own credentials: plain, in other letters, with gaps, in hexadecimal or in base64. */
export function findOwn(written: string, own: OwnCredentials): readonly Span[] {
  if (written.length < own.shortest) return NO_SPANS
  const text = plainLetters(written)
  if (!mayHold(text, own)) return NO_SPANS
  const plain = GAP.test(text) ? text.replace(GAPS, '') : text
  const spans = spansIn(plain, own)
  return spans.length === 0 || plain === text ? spans : withGaps(text, spans)
}

const NO_SPANS: readonly Span[] = []

/** Whether any credential may begin in the text, ignoring gaps. Usually none does, and nothing is copied. */
const mayHold = (text: string, own: OwnCredentials): boolean => stateAfter(text, own, 0) === FOUND

const FOUND = -1

/** The finder's state after a text that follows others, ignoring gaps; `FOUND` if a credential may begin there. */
function stateAfter(text: string, { finder }: OwnCredentials, before: number): number {
  const { symbols, width, next, first_end } = finder
  let state = before
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isGap(code, text, at)) continue
    state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
    if (state >= first_end) return FOUND
  }
  return state
}

/**
 * Whether a credential may be in one of these texts, or in all of them joined, or in two of them joined in either order: written plainly, in
 * hexadecimal or in base64.
 * INVARIANT: if not, `findOwn` finds none in these (law in guarded-texts.test.ts).
 */
export function mayHoldAny(written: readonly string[], own: OwnCredentials): boolean {
  const texts = written.some((text) => plainLetters(text) !== text) ? written.map(plainLetters) : written
  for (let one = 0; one < texts.length; one += 1) {
    const text = texts[one] ?? ''
    if (mayHold(text, own)) return true
    for (let other = 0; other < texts.length; other += 1)
      if (other !== one && mayHoldAcross(text, texts[other] ?? '', own)) return true
  }
  return texts.length > 2 && mayHoldJoined(texts, own)
}

/** Whether one may begin at the end of a text and continue in another. */
function mayHoldAcross(text: string, other: string, { finder }: OwnCredentials): boolean {
  const { symbols, width, next, first_end } = finder
  let start = text.length
  for (let left = HINT; start > 0 && left > 0; start -= 1)
    if (!isGap(text.charCodeAt(start - 1), text, start - 1)) left -= 1
  let state = 0
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (!isGap(code, text, at)) state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
  }
  for (let at = 0, left = HINT; at < other.length && left > 0 && state !== 0; at += 1) {
    const code = other.charCodeAt(at)
    if (isGap(code, other, at)) continue
    left -= 1
    state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
    if (state >= first_end) return true
  }
  return false
}

function mayHoldJoined(texts: readonly string[], own: OwnCredentials): boolean {
  let state = 0
  for (const text of texts) {
    state = stateAfter(text, own, state)
    if (state === FOUND) return true
  }
  return false
}

const isGap = (code: number, text: string, at: number): boolean =>
  code < 128 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : GAP.test(text[at] ?? '')

/** One pass over the text for all needles. */
function spansIn(text: string, { needles, finder }: OwnCredentials): Span[] {
  const { symbols, width, next, ends } = finder
  const spans: Span[] = []
  let [state, decoded] = [0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    state = next[state * width + (code < 128 ? (symbols[code] ?? 0) : 0)] ?? 0
    const found = ends[state]
    if (found === undefined) continue
    for (const index of found) {
      const needle = needles[index]
      if (needle === undefined) continue
      const start = at + 1 - Math.min(HINT, needle.text.length)
      if (needle.as !== 'plain' && !needle.whole) decoded += 1
      if (decoded > MOST_DECODED) return [{ start: 0, end: text.length }]
      const size = needle.whole ? sizeOfWhole(text, start, needle) : sizeOf(text, start, needle)
      if (size !== undefined) spans.push({ start, end: start + size })
    }
  }
  return spans.length < 2 ? spans : spans.toSorted((one, other) => one.start - other.start)
}

function sizeOfWhole(all: string, start: number, { text, as }: Needle): number | undefined {
  const there = all.slice(start, start + text.length)
  const isSame = as === 'base64' ? there === text : there.toLowerCase() === text.toLowerCase()
  return isSame ? text.length : undefined
}

/** How many characters of a text that begins like a credential belong to it; undefined if it is not one. */
function sizeOf(text: string, start: number, { as, before, first }: Needle): number | undefined {
  if (as === 'plain') return lengthOfShape(text, start)
  const window = text.slice(start, start + WINDOW)
  if (as === 'hex') {
    const length = lengthOfShape(bytesOfHex(window), 0)
    return length === undefined ? undefined : length * 2
  }
  // The first character also encodes bits of the byte before it. Skip it: the value of the first byte is known.
  const skipped = Math.ceil((before * 8) / 6)
  const bytes = bytesOfBase64('A'.repeat(skipped) + window)
  const length = lengthOfShape(first + bytes.slice(before + 1), 0)
  return length === undefined ? undefined : Math.min(window.length, Math.ceil(((before + length) * 8) / 6) - skipped)
}

function lengthOfShape(text: string, start: number): number | undefined {
  for (const shape of CREDENTIAL_SHAPES) {
    shape.lastIndex = start
    const match = shape.exec(text)
    if (match !== null && isRandom(match.groups?.['random'])) return match[0].length
  }
  return undefined
}

/** Maps spans back to the text with its gaps. */
function withGaps(text: string, spans: readonly Span[]): readonly Span[] {
  const edges = new Set(spans.flatMap(({ start, end }) => [start, end - 1]))
  const places = new Map<number, number>()
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    if (GAP.test(text[at] ?? '')) continue
    if (edges.has(count)) places.set(count, at)
    count += 1
  }
  return spans.map(({ start, end }) => ({
    start: places.get(start) ?? 0,
    end: (places.get(end - 1) ?? text.length) + 1,
  }))
}
