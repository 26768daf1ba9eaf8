/**
 * The words of a text as 32-bit numbers. A session stores texts as these numbers and never as copies: equal words have equal
 * numbers, whatever their case, accents, width or invisible characters. Two different words may share a number (one in four
 * billion); a value that is compared usually has several words.
 */
export type Words = {
  /** One number per word. */
  readonly full: Uint32Array
  /** The same word without its ending, so that `orders`, `ordered` and `ordering` are equal. */
  readonly stem: Uint32Array
  /** Where each word starts in the text. */
  readonly at: Uint32Array
  /** What precedes each word: a bit set of the flags below. */
  readonly before: Uint16Array
  readonly length: number
}

export const BREAK = 1
/** A comma, a dash, a bracket or a quotation mark: a clause may begin here. */
export const PAUSE = 2
export const QUOTE = 4
/** The word is capitalized or contains a digit. */
export const NAME = 8
/** There is no space between it and the previous word: `let's`, `drop-off`, `card_12`. */
export const JOINED = 16
/** It starts a line. */
export const LINE = 32
/** The word contains characters of an alphabet that the lexicons do not cover. */
export const STRANGE = 64
/** It ends in -ing, -ed, -ly or -s, so it is not an imperative. */
export const ENDING = 128
/** The edge of a cell, or the number of an item: an imperative may begin here. */
export const CELL = 256

const SEED = 0x811c9dc5
const PRIME = 0x01000193

export const hashWord = (word: string): number => {
  const words = readWords(word)
  return words.full[0] ?? 0
}
export const stemOf = (word: string): number => readWords(word).stem[0] ?? 0

/** Letters that Unicode does not decompose. */
const SPECIAL_LETTERS = 'ßs æa øo đd łl ıi œo ŋn ðd þt'
const SPECIAL_PAIRS = SPECIAL_LETTERS.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)])
const SPECIAL = { get: (char: string) => SPECIAL_PAIRS.find(([from]) => from === char)?.[1] }

/**
 * The plain letter of each character up to U+024F: lower case without its accent; 0 if it is not part of a word, 1 if it is
 * skipped.
 */
const PLAIN = plainLetters()

function plainLetters(): Uint16Array {
  const plain = new Uint16Array(0x250)
  for (let code = 0; code < plain.length; code += 1) {
    const char = String.fromCharCode(code)
    if (!/[\p{L}\p{N}]/u.test(char)) continue
    const folded = char.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
    plain[code] = (SPECIAL.get(char.toLowerCase()) ?? folded).charCodeAt(0)
  }
  plain[0xad] = 1
  return plain
}

/** The plain form of any character. 0: separates words. 1: skipped, because it is invisible. */
function plainOf(code: number): number {
  if (code < 0x250) return PLAIN[code] ?? 0
  if (code >= 0xff10 && code <= 0xff5a) return PLAIN[code - 0xfee0] ?? 0
  if (isInvisible(code)) return 1
  if (code >= 0x2000 && code <= 0x2bff) return 0
  if (code >= 0x3000 && code <= 0x3020) return 0
  if (code >= 0x300 && code <= 0x36f) return 1
  return code
}

const isInvisible = (code: number): boolean =>
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x206f) ||
  code === 0xfeff ||
  (code >= 0xfe00 && code <= 0xfe0f)

const isApostrophe = (code: number): boolean => code === 0x27 || code === 0x2019

type Room = Pick<Words, 'full' | 'stem' | 'at' | 'before'>
/** Buffers that are reused for the next text, if the previous words are no longer needed. */
export type Scratch = (room: number) => Room

/** One shared buffer, because separate buffers cost more than their content. */
function roomFor(room: number): Room {
  const buffer = new ArrayBuffer(room * 14)
  return {
    full: new Uint32Array(buffer, 0, room),
    stem: new Uint32Array(buffer, room * 4, room),
    at: new Uint32Array(buffer, room * 8, room),
    before: new Uint16Array(buffer, room * 12, room),
  }
}

export function createScratch(): Scratch {
  let kept = roomFor(256)
  return (room) => {
    if (room > kept.full.length) kept = roomFor(room * 2)
    return kept
  }
}

/** Reads at most `most` words; `cut` tells whether there are more. */
export function readWords(
  text: string,
  most = Number.MAX_SAFE_INTEGER,
  scratch?: Scratch,
): Words & { readonly cut: boolean } {
  const room = Math.min(most, (text.length >> 1) + 1)
  const { full, stem, at, before } = scratch?.(room) ?? roomFor(room)
  let length = 0
  let marks = BREAK
  let spaced = true
  /** Only numbers since the sentence began: `1`, `2026-11-01`. */
  let counting = true
  let i = 0
  while (i < text.length && length < most) {
    const first = plainOf(text.charCodeAt(i))
    if (first <= 1) {
      if (first === 0) {
        marks |= markOf(text, i)
        if (isSpace(text.charCodeAt(i)) || (marks & (BREAK | PAUSE | CELL)) !== 0) spaced = true
      }
      i += 1
      continue
    }
    const start = i
    let hash = SEED
    let one = SEED
    let two = SEED
    let three = SEED
    let last = 0
    let second = 0
    let third = 0
    let letters = 0
    let strange = false
    let digits = true
    if ((marks & BREAK) !== 0) counting = true
    else if (counting) marks |= CELL
    while (i < text.length) {
      const raw = text.charCodeAt(i)
      const plain = plainOf(raw)
      if (plain === 0) break
      i += 1
      if (plain === 1) continue
      if (plain >= 0x250) strange = true
      if (plain < 48 || plain > 57) digits = false
      third = second
      second = last
      last = plain
      three = two
      two = one
      one = hash
      hash = Math.imul(hash ^ plain, PRIME)
      letters += 1
    }
    const code = text.charCodeAt(start)
    const named = (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || (code >= 0xc0 && code <= 0xde)
    full[length] = hash
    stem[length] = stemmed(hash, one, two, three, last, second, third, letters)
    at[length] = start
    before[length] =
      marks |
      (spaced ? 0 : JOINED) |
      (named ? NAME : 0) |
      (strange ? STRANGE : 0) |
      (isEnding(last, second, third) ? ENDING : 0)
    length += 1
    marks = 0
    spaced = false
    if (!digits) counting = false
  }
  return { full, stem, at, before, length, cut: i < text.length }
}

/** Removes an ending, and with it a final `e`, so that `move`, `moves`, `moved` and `moving` are equal. */
function stemmed(
  whole: number,
  one: number,
  two: number,
  three: number,
  last: number,
  second: number,
  third: number,
  letters: number,
): number {
  const isIng = last === 103 && second === 110 && third === 105
  if (isIng && letters > 5) return three >>> 0
  if (last === 100 && second === 101 && letters > 4) return two >>> 0
  if (last === 115 && second === 101 && letters > 4) return two >>> 0
  if (last === 115 && second !== 115 && letters > 3) return one >>> 0
  if (last === 101 && letters > 3) return one >>> 0
  return whole >>> 0
}

function isEnding(last: number, second: number, third: number): boolean {
  if (last === 103) return second === 110 && third === 105
  if (last === 100) return second === 101
  if (last === 121) return second === 108
  return last === 115 && second !== 115
}

/** `)`, `]`, `<`, `|` and tab: after the number of an item, around tags and between the cells of a table. */
const CELL_EDGES: ReadonlySet<number> = new Set([0x29, 0x5d, 0x3c, 0x7c, 0x09])

function markOf(text: string, i: number): number {
  const code = text.charCodeAt(i)
  if (code === 0x20) return 0
  if (code === 0x0a || code === 0x0d || code === 0x2028) return BREAK | LINE
  if (code === 0x2e || code === 0x21 || code === 0x3f) return isEnd(text, i) ? BREAK : 0
  if (code === 0x3a) return text.charCodeAt(i + 1) === 0x2f ? 0 : isEnd(text, i) ? BREAK : 0
  if (code === 0x3b || code === 0x2022 || code === 0x3002 || code === 0xa1 || code === 0xbf) return BREAK
  if (isApostrophe(code)) {
    const within = i > 0 && plainOf(text.charCodeAt(i - 1)) > 1 && plainOf(text.charCodeAt(i + 1)) > 1
    return within ? 0 : QUOTE | PAUSE
  }
  if (code === 0x22 || code === 0x60 || code === 0x201c || code === 0x201e || code === 0xab) return QUOTE | PAUSE
  if (code === 0x2c || code === 0x28 || code === 0x5b || code === 0x2013 || code === 0x2014) return PAUSE
  // The end of a tag.
  if (code === 0x3e) return PAUSE | CELL
  if (CELL_EDGES.has(code)) return CELL
  if (code === 0x2f) return isSpace(text.charCodeAt(i - 1)) && isSpace(text.charCodeAt(i + 1)) ? CELL : 0
  if (code === 0x2d || code === 0x2a) return i === 0 || isSpace(text.charCodeAt(i - 1)) ? PAUSE : 0
  return 0
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x09
/** A period inside `3.5` or `a.b` ends nothing. */
function isEnd(text: string, i: number): boolean {
  const next = text.charCodeAt(i + 1)
  return Number.isNaN(next) || plainOf(next) === 0
}
