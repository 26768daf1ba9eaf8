import { MAY } from './encoding-hints.ts'

/** In shorter texts a secret cannot be distinguished from chance. */
const SHORTEST_TEXT = 10
const SHORTEST_64 = 14
const SHORTEST_32 = 24
const SHORTEST_LINE = 40
const HYPHEN = 0x2d
const UNDERSCORE = 0x5f
const NINE = 0x39
const LINE_BREAK = 0x0a

/** An alphabet: the value of each ASCII character, how many bits it has, and after how many characters a byte starts anew. */
type Codes = {
  readonly values: Int8Array
  readonly width: number
  readonly offsets: number
  /** Without a digit, a run is a long word. */
  readonly needs_digit: boolean
}
const NOT_IN = -1
/** The first code that is not ASCII. */
const BEYOND = 128

const CODES_64: Codes = {
  values: valuesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', '-_', 62),
  width: 6,
  offsets: 4,
  needs_digit: false,
}
const CODES_32: Codes = {
  values: valuesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 'abcdefghijklmnopqrstuvwxyz', 0),
  width: 5,
  offsets: 8,
  needs_digit: true,
}

function valuesOf(alphabet: string, also: string, from: number): Int8Array {
  const values = new Int8Array(BEYOND).fill(NOT_IN)
  for (const [value, char] of Array.from(alphabet).entries()) values[char.charCodeAt(0)] = value
  for (const [value, char] of Array.from(also).entries()) values[char.charCodeAt(0)] = from + value
  return values
}

const ENDS = 0
const PRINTABLE = 1
/** A zero byte between letters is half of a UTF-16 unit. */
const SKIPPED = 2
const KIND_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === 0) return SKIPPED
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x0a || byte === 0x0d || byte === 0x09 ? PRINTABLE : ENDS
})

/** The printable texts inside runs of base64, hexadecimal and base32. `may` are the hints about the text. */
export function encodedTexts(text: string, may: number): string[] {
  const texts: string[] = []
  if ((may & MAY.base64) !== 0) readBase64(text, texts)
  if ((may & MAY.hex) !== 0) readHex(text, texts)
  if ((may & MAY.base32) !== 0) readRuns(text, CODES_32, SHORTEST_32, texts)
  return texts
}

function readBase64(text: string, texts: string[]): void {
  const joined = hasLines(text) ? text.replace(/\s+/g, '') : text
  if (mayPrint64(joined)) readRuns(joined, CODES_64, SHORTEST_64, texts)
}

// Printable bytes have no high bit. The bytes of base64 start in three of four characters, each at another bit, and a run may start
// at any character: so there are four ways to group the characters. The bytes without a high bit in a row are counted for all of
// them at once, each in a byte of one integer that starts so far below 64 that bit 6 is set when they are enough.
const LANES: readonly number[] = [0, 1, 2, 3]
const ENOUGH = 0x40404040
const NONE_YET = LANES.reduce((bits, lane) => bits | ((64 - SHORTEST_TEXT) << (8 * lane)), 0)
/** The bit of a character's value that is the high bit of a byte, by the place of the character in its group. */
const HIGH_BITS: readonly number[] = [32, 8, 2, 0]

/** For each character, at each of four places in the text: what is added, which counts continue, and the start of the others. */
const ADDED = new Int32Array(4 * BEYOND)
const CONTINUED = new Int32Array(4 * BEYOND)
const STARTED = new Int32Array(4 * BEYOND).fill(NONE_YET)
for (let at = 0; at < 4 * BEYOND; at++) {
  const value = CODES_64.values[at % BEYOND] ?? NOT_IN
  for (const lane of value === NOT_IN ? [] : LANES) {
    const place = (Math.trunc(at / BEYOND) + lane) % 4
    const bit = HIGH_BITS[place] ?? 0
    if ((value & bit) !== 0) continue
    if (bit !== 0) ADDED[at] = (ADDED[at] ?? 0) | (1 << (8 * lane))
    CONTINUED[at] = (CONTINUED[at] ?? 0) | (0x7f << (8 * lane))
    STARTED[at] = (STARTED[at] ?? 0) & ~(0xff << (8 * lane))
  }
}

/**
 * Whether runs of base64 in a text may contain as many printable bytes in a row as a text needs. Allocates nothing.
 * INVARIANT: if not, no run contains a text (law in encoding-hints.test.ts).
 */
function mayPrint64(text: string): boolean {
  let counts = NONE_YET
  let seen = 0
  let place = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const entry = place * BEYOND + code
    counts =
      code < BEYOND ? ((counts + (ADDED[entry] ?? 0)) & (CONTINUED[entry] ?? 0)) | (STARTED[entry] ?? 0) : NONE_YET
    seen |= counts
    place = (place + 1) & (LANES.length - 1)
  }
  return (seen & ENOUGH) !== 0
}

/**
 * Whether `encodedTexts` may find a text in these ASCII codes, in base64 or base32. Runs of base64 may also continue after a line
 * break. `may` are the hints about the codes.
 * INVARIANT: if not, it finds none there (law in joined-hints.test.ts).
 */
export function mayPrintIn(codes: Uint8Array, length: number, may: number): boolean {
  return (
    ((may & MAY.base64) !== 0 && mayPrint64In(codes, length)) ||
    ((may & MAY.base32) !== 0 && mayPrint32In(codes, length))
  )
}

function mayPrint64In(codes: Uint8Array, length: number): boolean {
  let counts = NONE_YET
  let seen = 0
  let place = 0
  for (let at = 0; at < length; at++) {
    const code = codes[at] ?? 0
    if (code === LINE_BREAK) continue
    const entry = place * BEYOND + code
    counts = ((counts + (ADDED[entry] ?? 0)) & (CONTINUED[entry] ?? 0)) | (STARTED[entry] ?? 0)
    seen |= counts
    place = (place + 1) & (LANES.length - 1)
  }
  return (seen & ENOUGH) !== 0
}

function mayPrint32In(codes: Uint8Array, length: number): boolean {
  const { values } = CODES_32
  let start = 0
  let hasDigit = false
  for (let at = 0; at <= length; at++) {
    const code = at < length ? (codes[at] ?? 0) : LINE_BREAK
    if (values[code] !== NOT_IN) {
      if (code <= NINE) hasDigit = true
      continue
    }
    if (hasDigit && at - start >= SHORTEST_32)
      for (let offset = 0; offset < CODES_32.offsets; offset++) if (mayPrint32(codes, start + offset, at)) return true
    start = at + 1
    hasDigit = false
  }
  return false
}

/** Looks at the last of so many bytes first, like `mayPrint`. */
function mayPrint32(codes: Uint8Array, start: number, end: number): boolean {
  const count = ((end - start) * 5) >> 3
  for (let first = 0; first + SHORTEST_TEXT <= count;) {
    let at = first + SHORTEST_TEXT - 1
    while (at >= first && KIND_OF[byte32At(codes, start, at)] !== ENDS) at -= 1
    if (at < first) return true
    first = at + 1
  }
  return false
}

function byte32At(codes: Uint8Array, start: number, index: number): number {
  const { values } = CODES_32
  const char = ((8 * index) / 5) | 0
  const at = start + char
  const high = values[codes[at] ?? 0] ?? 0
  const middle = values[codes[at + 1] ?? 0] ?? 0
  // None of its bits is used if it is no longer part of the run.
  const low = (values[codes[at + 2] ?? 0] ?? 0) & 31
  return (((high << 10) | (middle << 5) | low) >> (7 - (8 * index - 5 * char))) & 0xff
}

/** Whether a long run of base64 ends at a space: then it may continue in the next line. */
function hasLines(text: string): boolean {
  if (!/\s/.test(text)) return false
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < BEYOND && code !== HYPHEN && code !== UNDERSCORE && CODES_64.values[code] !== NOT_IN) length += 1
    else if (length >= SHORTEST_LINE && /\s/.test(text.charAt(at))) return true
    else length = 0
  }
  return false
}

/**
 * A run may start with ordinary characters of the same alphabet (as in `/data/`), so each offset at which a byte can start is
 * tried.
 */
function readRuns(text: string, codes: Codes, shortest: number, texts: string[]): void {
  const { values, offsets, needs_digit } = codes
  let start = 0
  let isRun = !needs_digit
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : BEYOND
    if (code < BEYOND && values[code] !== NOT_IN) {
      if (code <= NINE) isRun = true
      continue
    }
    if (isRun && at - start >= shortest)
      for (let offset = 0; offset < offsets; offset++) readRun(text, start + offset, at, codes, texts)
    start = at + 1
    isRun = !needs_digit
  }
}

/** Nearly all runs are words, and those contain no other text: they are read without copying anything. */
function readRun(text: string, start: number, end: number, codes: Codes, texts: string[]): void {
  if (mayPrint(text, start, end, codes)) printable(bytesOf(text, start, end, codes), texts)
}

/**
 * Whether the bytes of a run contain as many in a row as a text needs, without one that ends it. Looks at the last of so many
 * bytes first: if that one ends a text, the others need not be read.
 */
function mayPrint(text: string, start: number, end: number, codes: Codes): boolean {
  const count = ((end - start) * codes.width) >> 3
  let first = 0
  while (first + SHORTEST_TEXT <= count) {
    let at = first + SHORTEST_TEXT - 1
    while (at >= first && KIND_OF[byteAt(text, start, at, codes)] !== ENDS) at -= 1
    if (at < first) return true
    first = at + 1
  }
  return false
}

/** The byte at an index of a run: the bits of two or three characters. */
function byteAt(text: string, start: number, index: number, { values, width }: Codes): number {
  const char = Math.trunc((8 * index) / width)
  const at = start + char
  const high = values[text.charCodeAt(at)] ?? 0
  const middle = values[text.charCodeAt(at + 1)] ?? 0
  // None of its bits is used if it is no longer part of the run.
  const low = at + 2 < text.length ? (values[text.charCodeAt(at + 2)] ?? 0) & ((1 << width) - 1) : 0
  const bits = (high << (2 * width)) | (middle << width) | low
  return (bits >> (3 * width - 8 - (8 * index - char * width))) & 0xff
}

/** With or without separators between the bytes. */
function readHex(text: string, texts: string[]): void {
  for (const [run] of text.matchAll(/(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :,-]?){10,}/g)) {
    const digits = run.replace(/0x|\\x|[ :,-]/g, '')
    for (let offset = 0; offset < 2; offset++) printable(hexBytes(digits, offset), texts)
  }
}

function bytesOf(text: string, start: number, end: number, { values, width }: Codes): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, ((end - start) * width) >> 3))
  let bits = 0
  let held = 0
  let count = 0
  for (let at = start; at < end; at++) {
    bits = ((bits << width) | (values[text.charCodeAt(at)] ?? 0)) & 0xffff
    held += width
    if (held < 8) continue
    held -= 8
    bytes[count++] = (bits >> held) & 0xff
  }
  return bytes
}

function hexBytes(digits: string, offset: number): Uint8Array {
  const bytes = new Uint8Array((digits.length - offset) >> 1)
  for (let at = 0; at < bytes.length; at++)
    bytes[at] = Number.parseInt(digits.slice(offset + 2 * at, offset + 2 * at + 2), 16)
  return bytes
}

/** Adds the runs of printable ASCII. */
function printable(bytes: Uint8Array, texts: string[]): void {
  let stretch = ''
  const end = () => {
    if (stretch.length >= SHORTEST_TEXT) texts.push(stretch)
    stretch = ''
  }
  for (const byte of bytes) {
    const kind = KIND_OF[byte]
    if (kind === PRINTABLE) stretch += String.fromCharCode(byte)
    else if (kind === ENDS) end()
  }
  end()
}
