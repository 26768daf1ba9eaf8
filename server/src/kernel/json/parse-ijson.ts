import type { Json } from '../contract/json.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import { findFault, MAX_DEPTH, MAX_VALUES } from './ijson-scanner.ts'

/**
 * Parses RFC 8259 text and rejects what is not I-JSON: duplicate keys, lone surrogates, numbers a double cannot hold. Rejected,
 * not repaired: if two parsers disagree about a text, the approved call could differ from the executed one. `about` says what and
 * at which offset, never the value. `__proto__` is an ordinary key. Rejects more than `MAX_VALUES`.
 */
export function parseIJson(text: string): Result<Json> {
  const printed = printedValue(text)
  if (printed !== undefined) return ok(printed)
  const fault = findFault(text, MAX_VALUES)
  if (fault?.what === 'values') return refuse('request.too_many_values', { limit: String(MAX_VALUES) })
  if (fault !== undefined) return refuse('request.not_ijson', { what: fault.what, at: String(fault.at) })
  try {
    return ok(JSON.parse(text) as Json)
  } catch (cause) {
    throw new Bug('the scanner accepts only what the native parser accepts', { cause })
  }
}

/** A text up to this length cannot be nested too deep or contain too many values. */
const WITHIN_LIMITS = 2 * MAX_DEPTH

/**
 * The value of a short text that is exactly what the runtime prints for it; undefined if it has to be scanned. Most clients send such a
 * text, and comparing is faster than scanning.
 * INVARIANT: only for I-JSON (law in parse-ijson.test.ts). A duplicate key, a number that a double cannot hold or a lone surrogate is printed
 * differently, except for an escaped lone surrogate, so texts with `\u` are scanned.
 */
function printedValue(text: string): Json | undefined {
  if (text.length > WITHIN_LIMITS || text.includes('\\u')) return undefined
  try {
    const value = JSON.parse(text) as Json
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}
