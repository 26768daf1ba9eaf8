import { base64Cores, hexOf, utf8 } from '../traps/encodings.ts'
import { bytesOfBase64, bytesOfHex } from './decode.ts'

/** The gate's own credentials, ready to be looked for: known by their shape, or known word for word. */
export type OwnCredentials = {
  readonly looksFor: readonly Needle[]
  readonly loose: RegExp
  readonly exact: RegExp
}

/** How a credential begins, or with `whole` all of it, in one encoding. */
type Needle = {
  readonly text: string
  readonly as: 'plain' | 'hex' | 'base64'
  /** Of base64: how many bytes stand before the credential in its group of three. */
  readonly before: number
  readonly first: string
  readonly whole: boolean
}
export type Span = { readonly start: number; readonly end: number }

/** What people and mail programs put between the characters of a text: blanks, line breaks, invisible characters. */
const GAP = '[\\s\\u00ad\\u200b-\\u200d\\u2060\\ufeff]{0,8}'
const GAP_CHARACTER = /[\s\u00ad\u200b-\u200d\u2060\ufeff]/
/** A credential and its longest encoding are shorter. */
const WINDOW = 600
/** Enough of a text to look for; the rest is compared where this was found. */
const HINT = 16

const MOST_KNOWN = 200
const LONGEST_KNOWN = 256

const SHAPES = [/^sluice_[a-z]{3,12}_(?<random>[A-Za-z0-9_-]{43})/i, /^v1\.\d{9,11}\.[0-9a-f]{16}\.[0-9a-f]{64}/i]
const PREFIXES = ['sluice_', 'v1.1', 'v1.2']

/** Credentials of which the gate keeps the digest only are known by their shape; `known` ones by every character. */
export function compileOwn(known: readonly string[]): OwnCredentials {
  const looksFor = [
    ...PREFIXES.flatMap((prefix) => needlesOf(prefix, false)),
    ...[...new Set(known)].slice(0, MOST_KNOWN).flatMap((secret) => needlesOf(secret.slice(0, LONGEST_KNOWN), true)),
  ]
  const among = (exact: boolean) => looksFor.filter(({ as }) => (as === 'base64') === exact)
  return { looksFor, loose: regexOf(among(false), 'gi'), exact: regexOf(among(true), 'g') }
}

function needlesOf(text: string, whole: boolean): Needle[] {
  const bytes = utf8(text)
  const first = text.slice(0, 1)
  const cores = base64Cores(bytes).flatMap((core, before) =>
    [...new Set([core, core.replaceAll('+', '-').replaceAll('/', '_')])].map((one) => ({ text: one, before, first })),
  )
  return [
    { text, as: 'plain', before: 0, first, whole },
    { text: hexOf(bytes), as: 'hex', before: 0, first, whole },
    ...cores.map((core) => ({ ...core, as: 'base64' as const, whole })),
  ]
}

const regexOf = (needles: readonly Needle[], flags: string): RegExp =>
  new RegExp(needles.map(({ text }) => `(${text.slice(0, HINT).split('').map(escaped).join(GAP)})`).join('|'), flags)

const escaped = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')

/** Where the gate's own credentials stand in a text: as they are, with blanks in between, in hexadecimal or in base64. */
export function findOwn(text: string, own: OwnCredentials): readonly Span[] {
  const spans: Span[] = []
  for (const [regex, isExact] of [
    [own.loose, false],
    [own.exact, true],
  ] as const) {
    const needles = own.looksFor.filter(({ as }) => (as === 'base64') === isExact)
    for (const match of text.matchAll(regex)) {
      const needle = needles[match.slice(1).findIndex((group) => group !== undefined)]
      const span = needle === undefined ? undefined : spanAt(text, match.index, needle)
      if (span !== undefined) spans.push(span)
    }
  }
  return spans.toSorted((one, other) => one.start - other.start)
}

function spanAt(text: string, start: number, needle: Needle): Span | undefined {
  const { characters, ends } = unspaced(text, start)
  const size = needle.whole ? sizeOfWhole(characters, needle) : sizeOf(characters, needle)
  const end = size === undefined ? undefined : ends[size - 1]
  return end === undefined ? undefined : { start, end }
}

function sizeOfWhole(characters: string, { text, as }: Needle): number | undefined {
  const head = characters.slice(0, text.length)
  const isSame = as === 'base64' ? head === text : head.toLowerCase() === text.toLowerCase()
  return isSame ? text.length : undefined
}

/** How many characters of a text that begins like a credential are one; undefined when it is none. */
function sizeOf(characters: string, { as, before, first }: Needle): number | undefined {
  if (as === 'plain') return lengthOfShape(characters)
  if (as === 'hex') {
    const length = lengthOfShape(bytesOfHex(characters))
    return length === undefined ? undefined : length * 2
  }
  // A part of the first byte stands in a character that it shares with its neighbour: what the byte is, is known.
  const skipped = Math.ceil((before * 8) / 6)
  const bytes = bytesOfBase64('A'.repeat(skipped) + characters)
  const length = lengthOfShape(first + bytes.slice(before + 1))
  return length === undefined
    ? undefined
    : Math.min(characters.length, Math.ceil(((before + length) * 8) / 6) - skipped)
}

function lengthOfShape(text: string): number | undefined {
  for (const shape of SHAPES) {
    const match = shape.exec(text)
    if (match !== null && isRandom(match.groups?.['random'])) return match[0].length
  }
  return undefined
}

/** Prose without its blanks has the letters of a key, but not its mixture. */
function isRandom(random: string | undefined): boolean {
  if (random === undefined) return true
  const count = (letters: RegExp) => random.match(letters)?.length ?? 0
  return count(/\d/g) > 0 && count(/[A-Z]/g) > 3 && count(/[a-z]/g) > 3
}

/** The characters from a place on without gaps, and where each of them ends. */
function unspaced(text: string, start: number): { characters: string; ends: readonly number[] } {
  const ends: number[] = []
  let characters = ''
  for (let at = start; at < text.length && characters.length < WINDOW && at - start < WINDOW * 3; at += 1) {
    const character = text[at] ?? ''
    if (GAP_CHARACTER.test(character)) continue
    characters += character
    ends.push(at + 1)
  }
  return { characters, ends }
}
