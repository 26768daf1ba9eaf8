/** Why a text is not I-JSON, and at which offset (UTF-16 units). Never contains any of the text. */
export type IJsonFault = {
  readonly what: 'syntax' | 'depth' | 'duplicate_key' | 'lone_surrogate' | 'number' | 'values'
  readonly at: number
}

/** Deeper nesting is rejected, so that code that recurses over a value cannot overflow the stack. */
export const MAX_DEPTH = 512

/**
 * More values and field names than this are rejected, because every pass over a value costs time per value, however short they
 * are.
 */
export const MAX_VALUES = 10_000

/** The state of the scan. `open` has one entry per open container: the keys seen so far, or nothing for an array. */
type Scan = {
  readonly text: string
  readonly open: (Set<string> | undefined)[]
  at: number
  values: number
  fault: IJsonFault | undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** A decimal of up to 15 significant digits survives conversion to a double. */
const ALWAYS_EXACT = 15

function fail(scan: Scan, what: IJsonFault['what'], at = scan.at): false {
  scan.fault ??= { what, at }
  return false
}

/** The next unit that is not white space; NaN at the end. */
function peek(scan: Scan): number {
  let code = scan.text.charCodeAt(scan.at)
  while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = scan.text.charCodeAt(++scan.at)
  return code
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** The value of the four hex digits at `at`, or -1. */
function hex4(text: string, at: number): number {
  const digits = text.slice(at, at + 4)
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1
}

/** `at` is the backslash. A high surrogate must be followed by an escaped low one: a raw one would itself be lone in the text. */
function readEscape(scan: Scan): boolean {
  const { text, at } = scan
  if (text[at + 1] !== 'u') {
    if (!'"\\/bfnrt'.includes(text[at + 1] ?? '?')) return fail(scan, 'syntax')
    scan.at += 2
    return true
  }
  const unit = hex4(text, at + 2)
  if (unit < 0) return fail(scan, 'syntax')
  scan.at += 6
  if (isLow(unit)) return fail(scan, 'lone_surrogate', at)
  if (!isHigh(unit)) return true
  const isPair = text.startsWith('\\u', at + 6) && isLow(hex4(text, at + 8))
  if (!isPair) return fail(scan, 'lone_surrogate', at)
  scan.at += 6
  return true
}

/** A special unit of a string: an escape, a surrogate, or a control character. */
function readSpecial(scan: Scan, code: number): boolean {
  if (code === BACKSLASH) return readEscape(scan)
  // NaN (the end of the text) is neither.
  if (!(code >= 0x20)) return fail(scan, 'syntax')
  if (!isHigh(code) || !isLow(scan.text.charCodeAt(scan.at + 1))) return fail(scan, 'lone_surrogate')
  scan.at += 2
  return true
}

/** `at` is the opening quote. */
function readString(scan: Scan): boolean {
  const { text } = scan
  let at = scan.at + 1
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) break
    const isPlain = code >= 0x20 && code !== BACKSLASH && (code < 0xd800 || code > 0xdfff)
    if (isPlain) {
      at += 1
      continue
    }
    scan.at = at
    if (!readSpecial(scan, code)) return false
    at = scan.at
  }
  scan.at = at + 1
  return true
}

/** Skips digits; returns whether there was one. */
function readDigits(scan: Scan): boolean {
  const from = scan.at
  while (isDigit(scan.text.charCodeAt(scan.at))) scan.at += 1
  return scan.at > from || fail(scan, 'syntax')
}

/** `at` is a minus sign or a digit. */
function readNumber(scan: Scan): boolean {
  const { text, at: from } = scan
  if (text.charCodeAt(scan.at) === 0x2d) scan.at += 1
  if (text.charCodeAt(scan.at) === 0x30) scan.at += 1
  else if (!readDigits(scan)) return false
  if (text.charCodeAt(scan.at) === 0x2e) {
    scan.at += 1
    if (!readDigits(scan)) return false
  }
  const isShort = scan.at - from <= ALWAYS_EXACT
  const hasExponent = (text.charCodeAt(scan.at) | 0x20) === 0x65
  if (hasExponent) {
    scan.at += 1
    const sign = text.charCodeAt(scan.at)
    if (sign === 0x2b || sign === 0x2d) scan.at += 1
    if (!readDigits(scan)) return false
  }
  return (isShort && !hasExponent) || survivesDouble(text.slice(from, scan.at)) || fail(scan, 'number', from)
}

function readWord(scan: Scan, word: string): boolean {
  if (!scan.text.startsWith(word, scan.at)) return fail(scan, 'syntax')
  scan.at += word.length
  return true
}

function readScalar(scan: Scan, code: number): boolean {
  if (code === QUOTE) return readString(scan)
  if (code === 0x2d || isDigit(code)) return readNumber(scan)
  if (code === 0x74) return readWord(scan, 'true')
  if (code === 0x66) return readWord(scan, 'false')
  if (code === 0x6e) return readWord(scan, 'null')
  return fail(scan, 'syntax')
}

/** A key and its colon. Keys are compared after unescaping: `"\u0061"` is `"a"`. */
function readKey(scan: Scan, keys: Set<string>): boolean {
  if (peek(scan) !== QUOTE) return fail(scan, 'syntax')
  const from = scan.at
  if (!readString(scan)) return false
  const written = scan.text.slice(from + 1, scan.at - 1)
  const key = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
  const before = keys.size
  if (keys.add(key).size === before) return fail(scan, 'duplicate_key', from)
  if (peek(scan) !== COLON) return fail(scan, 'syntax')
  scan.at += 1
  return true
}

/** Enters a container. True if a value comes next; false if it was empty and is closed again, or on a fault. */
function enter(scan: Scan, code: number): boolean {
  if (scan.open.length === MAX_DEPTH) return fail(scan, 'depth')
  scan.at += 1
  const keys = code === OPEN_OBJECT ? new Set<string>() : undefined
  if (peek(scan) === (keys === undefined ? CLOSE_ARRAY : CLOSE_OBJECT)) {
    scan.at += 1
    return false
  }
  scan.open.push(keys)
  return keys === undefined || readKey(scan, keys)
}

/** After a value: closes the containers that end here. True if another value follows. */
function leave(scan: Scan): boolean {
  while (scan.open.length > 0) {
    const code = peek(scan)
    const keys = scan.open.at(-1)
    scan.at += 1
    if (code === COMMA) return keys === undefined || readKey(scan, keys)
    if (code !== (keys === undefined ? CLOSE_ARRAY : CLOSE_OBJECT)) return fail(scan, 'syntax', scan.at - 1)
    scan.open.pop()
  }
  return false
}

/** The first reason why a text is not I-JSON, or undefined. One pass, no recursion. */
export function findFault(text: string, most_values = Number.POSITIVE_INFINITY): IJsonFault | undefined {
  const scan: Scan = { text, open: [], at: 0, values: 0, fault: undefined }
  for (;;) {
    // A field counts twice, for its name and for its value.
    scan.values += scan.open.at(-1) === undefined ? 1 : 2
    if (scan.values > most_values) return { what: 'values', at: scan.at }
    const code = peek(scan)
    const isContainer = code === OPEN_OBJECT || code === OPEN_ARRAY
    if (isContainer && enter(scan, code)) continue
    if (!isContainer) readScalar(scan, code)
    if (scan.fault !== undefined || !leave(scan)) break
  }
  if (scan.fault === undefined && !Number.isNaN(peek(scan))) fail(scan, 'syntax')
  return scan.fault
}

/** Sign, digits without leading and trailing zeros, and the exponent of the last digit: two literals are equal if these are. */
type Decimal = { readonly negative: boolean; readonly digits: string; readonly exponent: number }

const LITERAL = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/
/** Doubles are printed with at most 17 significant digits. */
const PRINTED_DIGITS = 17
/** JavaScript, and so RFC 8785, prints whole numbers below this without an exponent. */
const PLAIN_BELOW = 1e21
const SMALLEST_NORMAL = 2.2250738585072014e-308

function decimalOf(literal: string): Decimal {
  const [, sign = '', whole = '', fraction = '', power = '0'] = LITERAL.exec(literal) ?? []
  const all = whole + fraction
  // Loops instead of regular expressions: `0+$` is quadratic on a long run of zeros that does not end the text.
  let from = 0
  while (all.charCodeAt(from) === 48) from += 1
  let to = all.length
  while (to > from && all.charCodeAt(to - 1) === 48) to -= 1
  return {
    negative: sign === '-',
    digits: all.slice(from, to),
    exponent: Number(power) - fraction.length + (all.length - to),
  }
}

function equals(a: Decimal, b: Decimal): boolean {
  return a.negative === b.negative && a.digits === b.digits && a.exponent === b.exponent
}

/**
 * Whether a JSON number literal keeps its value when converted to a double.
 * - A literal whose decimal value equals the shortest print of its double always does.
 * - A whole number must be exact: any written as a plain integer, and any below 10^21, where the canonical form prints integers.
 * `9007199254740993` and `9007199254740993.0` are rejected.
 * - Overflow to infinity and underflow to zero are rejected.
 * - Other literals pass with up to 17 significant digits, because printers of doubles emit those (`333333333.33333329`); among
 * the subnormals, where a double has fewer digits, only if the double prints back as the same digits.
 */
export function survivesDouble(literal: string): boolean {
  const double = Number(literal)
  if (!Number.isFinite(double)) return false
  const written = decimalOf(literal)
  if (double === 0) return written.digits === ''
  if (equals(written, decimalOf(String(double)))) return true
  const isWhole = written.exponent >= 0 && (Math.abs(double) < PLAIN_BELOW || !/[.eE]/.test(literal))
  if (isWhole || written.digits.length > PRINTED_DIGITS) return false
  if (Math.abs(double) >= SMALLEST_NORMAL) return true
  return equals(written, decimalOf(double.toPrecision(written.digits.length)))
}
