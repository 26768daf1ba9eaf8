import canonicalize from 'canonicalize'
import { Bug } from '../contract/problems.ts'

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
  if (Array.isArray(value)) return itemsInOrder(value, seen, depth)
  const keys = Object.keys(value)
  const hasMoved = sortKeys(keys)
  // Numeric keys come first in any object, so that they cannot be sorted; `__proto__` would not become a key.
  const isPlain = Object.getPrototypeOf(value) === Object.prototype && !Object.hasOwn(value, '__proto__')
  if (!isPlain || (keys[0] ?? 'a') < ':') seen.isOrdinary = false
  return fieldsInOrder(value as Readonly<Record<string, unknown>>, keys, hasMoved, seen, depth)
}

/** A copy with the keys in this order; the value itself if nothing in it is moved. */
function fieldsInOrder(
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  hasMoved: boolean,
  seen: { isOrdinary: boolean },
  depth: number,
): Readonly<Record<string, unknown>> {
  let ordered: Record<string, unknown> | undefined = hasMoved ? {} : undefined
  for (const key of keys) {
    const field = value[key]
    const inside = inOrder(field, seen, depth + 1)
    if (ordered === undefined && inside !== field) ordered = { ...value }
    if (ordered !== undefined) ordered[key] = inside
  }
  return ordered ?? value
}

function itemsInOrder(value: readonly unknown[], seen: { isOrdinary: boolean }, depth: number): readonly unknown[] {
  let ordered: unknown[] | undefined
  for (let at = 0; at < value.length; at += 1) {
    const item = inOrder(value[at], seen, depth + 1)
    if (item === value[at]) continue
    ordered ??= [...value]
    ordered[at] = item
  }
  return ordered ?? value
}

const FEW_KEYS = 16

/**
 * Sorts the keys, and returns whether anything moved. Short lists are sorted by insertion, because a general sort allocates more memory.
 */
function sortKeys(keys: string[]): boolean {
  if (keys.length > FEW_KEYS) {
    keys.sort()
    return true
  }
  let hasMoved = false
  for (let at = 1; at < keys.length; at += 1) {
    const key = keys[at] ?? ''
    let to = at
    for (; to > 0 && (keys[to - 1] ?? '') > key; to -= 1) keys[to] = keys[to - 1] ?? ''
    if (to === at) continue
    keys[to] = key
    hasMoved = true
  }
  return hasMoved
}
