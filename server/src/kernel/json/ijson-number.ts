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
