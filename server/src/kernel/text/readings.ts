import { asciiLookAlike } from '../catalogue/confusables.ts'
import { encodingHints, MAY } from './encoding-hints.ts'
import { encodedTexts } from './encoded-runs.ts'
import { binaryTexts, codeTexts, turnedTexts } from './disguised-runs.ts'

/** How many layers of encoding are decoded: base64 inside percent-encoding inside JSON. */
const MOST_LAYERS = 3
/** All readings together are at most this many times as long as the text. */
const MOST_GROWTH = 8

/** `complete` is false if a text has more readings than the limit allows; then its content is not fully known. */
export type TextReadings = { readonly texts: readonly string[]; readonly complete: boolean }

const NONE: TextReadings = { texts: [], complete: true }
/** A text without any of these has no other reading. */
const HAS_READINGS =
  /(?:[01]{8}[ ,_-]?){10}|(?:\d{2,3}[ ,;:_/.-]{1,2}){10}|[^\0-\x7f]|%u?[0-9A-Fa-f]{2}|\\[ux/"nt0-3]|&#|&(?:sol|period|bsol);|=[0-9A-F]{2}|[A-Za-z0-9+/_-]{16}|(?:[0-9A-Fa-f]{2}[ :,]){12}/

/**
 * Other readings of a text: full-width and look-alike letters as plain ones; percent-encoding, JSON and HTML escapes,
 * quoted-printable, base64, base32, hexadecimal, character codes and binary digits decoded, also nested; short runs backwards and
 * rotated by 13 letters. The text itself is not among them. `hintsOf` may report an encoding that a text does not contain, but must not miss one.
 */
export function readingsOf(text: string, hintsOf: (text: string) => number = encodingHints): TextReadings {
  const hints = hintsOf(text)
  if (hints === 0 || !HAS_READINGS.test(text)) return NONE
  const first = decoded(text, hints)
  // Nearly all texts are plain words, and have at most the reversed and rotated readings.
  return first.length === 0 ? turnedOnly(text, hintsOf) : allReadings(text, first, hintsOf)
}

function turnedOnly(text: string, hintsOf: (text: string) => number): TextReadings {
  const texts: string[] = []
  for (const one of turnedReadings([text], hintsOf)) if (one !== text && !texts.includes(one)) texts.push(one)
  return texts.length === 0 ? NONE : { texts, complete: true }
}

function allReadings(text: string, first: readonly string[], hintsOf: (text: string) => number): TextReadings {
  const seen = new Set([text])
  let room = MOST_GROWTH * text.length + 256
  let layer = [text]
  for (let depth = 0; depth < MOST_LAYERS && layer.length > 0; depth++) {
    const next: string[] = []
    for (const reading of depth === 0 ? first : layer.flatMap((one) => decoded(one, hintsOf(one)))) {
      if (seen.has(reading)) continue
      room -= reading.length
      if (room < 0) return { texts: [...seen].slice(1), complete: false }
      seen.add(reading)
      next.push(reading)
    }
    layer = next
  }
  for (const reading of turnedReadings([...seen], hintsOf)) seen.add(reading)
  return { texts: [...seen].slice(1), complete: true }
}

/** How many readings are also reversed, and their maximum length. They do not count against the limit. */
const MOST_TURNED = 6
const LONGEST_TURNED = 8_192

/** The short runs of a text, reversed and rotated, as they are and decoded once. */
function turnedReadings(texts: readonly string[], hintsOf: (text: string) => number): string[] {
  const readings: string[] = []
  for (const text of texts.slice(0, MOST_TURNED)) {
    const runs = text.length > LONGEST_TURNED ? [] : turnedTexts(text)
    if (runs.length === 0) continue
    const turned = runs.join('\n')
    readings.push(turned)
    const inside = encodedTexts(turned, hintsOf(turned))
    if (inside.length > 0) readings.push(inside.join('\n'))
  }
  return readings
}

function decoded(text: string, may: number): string[] {
  const readings: string[] = []
  const add = (reading: string) => {
    if (reading !== text && reading !== '') readings.push(reading)
  }
  if ((may & MAY.otherLetters) !== 0) add(plainLetters(text))
  if ((may & MAY.percents) !== 0) add(unpercent(text))
  if ((may & MAY.escapes) !== 0) add(unescaped(text))
  if ((may & MAY.entities) !== 0) add(withoutEntities(text))
  if ((may & MAY.quotedPrintable) !== 0) add(unquoted(text))
  const runs = encodedTexts(text, may)
  if ((may & MAY.codes) !== 0) runs.push(...codeTexts(text), ...binaryTexts(text))
  if (runs.length > 0) add(runs.join('\n'))
  return readings
}

/** Full-width, mathematical and other forms of ASCII, and look-alike letters of other alphabets. */
function plainLetters(text: string): string {
  const known = new Map<string, string>()
  return text.replace(/[^\0-\x7f]/gu, (letter) => {
    const found = known.get(letter) ?? plainLetter(letter)
    known.set(letter, found)
    return found
  })
}

function plainLetter(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  // Tag characters: invisible forms of ASCII.
  if (code >= 0xe0020 && code <= 0xe007e) return String.fromCharCode(code - 0xe0000)
  if (/\p{Cf}|\p{M}/u.test(letter)) return ''
  const folded = letter.normalize('NFKC')
  return /^[\0-\x7f]{1,3}$/.test(folded) ? folded : (asciiLookAlike(letter) ?? letter)
}

function unpercent(text: string): string {
  const plain = text
    .replace(/%u([0-9A-Fa-f]{4})/g, (_, hex: string) => charOf(hex))
    // Two bytes for an ASCII character: not valid UTF-8, but some decoders accept it.
    .replace(/%c([01])%([89ab][0-9A-Fa-f])/gi, (_, high: string, low: string) => overlong(high, low))
  return plain.replace(/(?:%[0-9A-Fa-f]{2}){1,64}/g, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run.replace(/%([0-7][0-9A-Fa-f])/g, (_, hex: string) => charOf(hex))
    }
  })
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

const overlong = (high: string, low: string) =>
  String.fromCharCode(Number(high) * 64 + (Number.parseInt(low, 16) & 0x3f))

/** `\u0041`, `\u{41}`, `\x41`, `\101`, `\/`, `\"`: JSON or code inside a string. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,5})\}|x([0-9A-Fa-f]{2})|([0-3]?[0-7]{2})|([nrt/"'\\]))/g,
    (_, four?: string, braced?: string, two?: string, octal?: string, plain?: string) =>
      plain === undefined
        ? charOf(four ?? braced ?? two ?? Number.parseInt(octal ?? '0', 8).toString(16))
        : (SHORT_ESCAPES[plain] ?? plain),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { sol: '/', period: '.', bsol: '\\' }

function withoutEntities(text: string): string {
  const plain = text.replace(/&(sol|period|bsol);/g, (_, name: string) => ENTITIES[name] ?? '')
  return plain.replace(/&#(?:x([0-9A-Fa-f]{1,5})|([0-9]{1,6}));?/gi, (_, hex?: string, digits?: string) =>
    hex === undefined ? charOf(Number(digits).toString(16)) : charOf(hex),
  )
}

/** Quoted-printable, as in mail: `=67` is a `g`, and a `=` at the end of a line joins it with the next. */
function unquoted(text: string): string {
  if (!/=[0-9A-F]{2}/.test(text)) return text
  return text.replace(/=\r?\n/g, '').replace(/=([2-7][0-9A-F])/g, (_, hex: string) => charOf(hex))
}

function charOf(hex: string): string {
  const code = Number.parseInt(hex, 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
