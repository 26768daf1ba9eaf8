import canonicalize from 'canonicalize'
import { Bug } from '../../contract/problems.ts'

/**
 * The RFC 8785 text of plain data, for values that we write ourselves thousands of times a second: the native printer, with
 * sorted keys.
 * INVARIANT: the same text as `canonicalize`, which takes three times as long and is used for unusual values (law in
 * print-canonical.test.ts).
 */
export function printCanonical(value: object): string {
  const seen = { isOrdinary: true }
  const ordered = inOrder(value, seen, 0)
  const text = seen.isOrdinary ? JSON.stringify(ordered) : undefined
  if (text !== undefined && !text.includes(HALF_A_CHARACTER)) return text
  const other = canonicalize(value)
  if (other === undefined) throw new Bug('an object has a canonical form')
  return other
}

/**
 * The native printer escapes a lone surrogate, for which the standard has no form. The text may also contain this literally; then
 * `canonicalize` decides.
 */
const HALF_A_CHARACTER = '\\ud'

/** Deeper than anything we write, and far from overflowing the stack. */
const DEEP = 200

function inOrder(value: unknown, seen: { isOrdinary: boolean }, depth: number): unknown {
  if (depth > DEEP) seen.isOrdinary = false
  if (!seen.isOrdinary) return value
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && !Number.isFinite(value)) seen.isOrdinary = false
    return value
  }
  if (Array.isArray(value)) return value.map((item: unknown) => inOrder(item, seen, depth + 1))
  const keys = Object.keys(value).sort()
  // Numeric keys come first in any object, so that they cannot be sorted; `__proto__` would not become a key.
  const isPlain = Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, '__proto__')
  if (!isPlain || (keys[0] ?? 'a') < ':') seen.isOrdinary = false
  const ordered: Record<string, unknown> = {}
  for (const key of keys) ordered[key] = inOrder((value as Readonly<Record<string, unknown>>)[key], seen, depth + 1)
  return ordered
}
