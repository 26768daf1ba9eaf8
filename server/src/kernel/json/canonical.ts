import canonicalize from 'canonicalize'
import type { Json } from '../contract/json.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import { MAX_DEPTH } from './ijson-scanner.ts'
import { printCanonical } from './print-canonical.ts'

type Flaw = 'type' | 'number' | 'lone_surrogate' | 'depth'

/** With the `u` flag a valid pair is one character, so this matches only lone halves. */
const LONE_SURROGATE = /\p{Surrogate}/u

function flawOfScalar(value: unknown): Flaw | undefined {
  if (value === null || typeof value === 'boolean') return undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'number'
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? 'lone_surrogate' : undefined
  return 'type'
}

/** Only plain data: an object with another prototype could print as something other than its content (`toJSON`). */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Array.isArray(value)
}

/**
 * The first reason why a value has no canonical form.
 * INVARIANT: terminates on cycles, because depth is limited.
 */
function flawOf(value: unknown, depth: number): Flaw | undefined {
  if (typeof value !== 'object' || value === null) return flawOfScalar(value)
  if (depth === MAX_DEPTH) return 'depth'
  if (!isPlain(value)) return 'type'
  if (!Array.isArray(value)) return flawOfMembers(value, depth + 1)
  // By index, because `for of` and `forEach` treat the holes of a sparse array differently.
  for (let index = 0; index < value.length; index += 1) {
    const flaw = flawOf(value[index], depth + 1)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

function flawOfMembers(value: object, depth: number): Flaw | undefined {
  for (const key of Object.keys(value)) {
    const flaw = LONE_SURROGATE.test(key)
      ? 'lone_surrogate'
      : flawOf((value as Readonly<Record<string, unknown>>)[key], depth)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

/** The RFC 8785 form of a value: the exact text that is hashed, approved and executed. */
export function canonicalJson(value: Json): Result<string> {
  const flaw = flawOf(value, 0)
  if (flaw !== undefined) return refuse('request.not_ijson', { what: flaw })
  const text = typeof value === 'object' && value !== null ? printCanonical(value) : canonicalize(value)
  if (text === undefined) throw new Bug('a value without a flaw has a canonical form')
  return ok(text)
}
