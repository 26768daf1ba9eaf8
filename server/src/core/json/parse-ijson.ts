import type { Json } from '../../contract/json.ts'
import { Bug, ok, refuse, type Result } from '../../contract/problems.ts'
import { findFault, MAX_VALUES } from './ijson-scanner.ts'

/**
 * Parses RFC 8259 text and rejects what is not I-JSON: duplicate keys, lone surrogates, numbers a double cannot hold. Rejected,
 * not repaired: if two parsers disagree about a text, the approved call could differ from the executed one. `about` says what and
 * at which offset, never the value. `__proto__` is an ordinary key. Rejects more than `MAX_VALUES`.
 */
export function parseIJson(text: string): Result<Json> {
  const fault = findFault(text, MAX_VALUES)
  if (fault?.what === 'values') return refuse('request.too_many_values', { limit: String(MAX_VALUES) })
  if (fault !== undefined) return refuse('request.not_ijson', { what: fault.what, at: String(fault.at) })
  try {
    return ok(JSON.parse(text) as Json)
  } catch (cause) {
    throw new Bug('the scanner accepts only what the native parser accepts', { cause })
  }
}
