import { isJsonObject, type Json } from '../../contract/json.ts'
import { EXPECTED, type Expectation } from '../../contract/standard.ts'
import { fillTemplate, type FilledTemplate, type Sources, sayTemplate, valueAt } from './template.ts'

/** An expectation with its placeholders filled in. */
export function fillExpectation(
  expectation: Expectation,
  sources: Sources,
): Pick<FilledTemplate, 'open' | 'missing'> & { readonly expectation: Expectation } {
  const { path, equals, contains, in: any } = expectation
  if (equals !== undefined) {
    const { value, ...rest } = fillTemplate(equals, sources)
    return { ...rest, expectation: { path, equals: value } }
  }
  if (contains !== undefined) {
    const { value, ...rest } = fillTemplate(contains, sources)
    return { ...rest, expectation: { path, contains: value } }
  }
  if (any === undefined) return { open: [], missing: [], expectation }
  const filled = any.map((one) => fillTemplate(one, sources))
  return {
    open: filled.flatMap(({ open }) => open),
    missing: filled.flatMap(({ missing }) => missing),
    expectation: { path, in: filled.map(({ value }) => value) },
  }
}

/** Whether an answer meets one expectation. A path that does not exist meets only `exists: false`. */
export function meets(answer: Json, expectation: Expectation): boolean {
  const found = valueAt(answer, expectation.path)
  if (expectation.exists !== undefined) return (found !== undefined) === expectation.exists
  if (found === undefined) return false
  if (expectation.equals !== undefined) return isSame(found, expectation.equals)
  if (expectation.contains !== undefined) return holds(found, expectation.contains)
  return expectation.in?.some((one) => isSame(found, one)) ?? false
}

/** An expectation as declared, for people and for the record: it says where values come from, not what they are. */
export function sayExpectation(expectation: Expectation): string {
  const { path } = expectation
  if (expectation.exists !== undefined) return `\`${path}\` ${expectation.exists ? 'exists' : 'does not exist'}`
  const word = EXPECTED.find((name) => expectation[name] !== undefined) ?? 'equals'
  const value = sayTemplate(expectation[word] ?? null)
  return `\`${path}\` ${word === 'in' ? 'is one of' : word} ${value}`
}

/** Equal as JSON: the order of keys does not matter, the order of a list does. */
export function isSame(one: Json, other: Json): boolean {
  if (one === other) return true
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && isSameList(one, other)
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  return Object.keys(one).length === Object.keys(other).length && covers(one, other, isSame)
}

function isSameList(one: readonly Json[], other: readonly Json[]): boolean {
  return one.length === other.length && one.every((item, index) => isSame(item, other[index] ?? null))
}

/**
 * Whether a text contains a part, a list an item, or an object some fields; for a list item that is an object, only the named
 * fields count.
 */
function holds(found: Json, wanted: Json): boolean {
  if (typeof found === 'string') return typeof wanted === 'string' && found.includes(wanted)
  if (Array.isArray(found)) return found.some((item: Json) => hasAll(item, wanted))
  return isJsonObject(found) && isJsonObject(wanted) && hasAll(found, wanted)
}

function hasAll(found: Json, wanted: Json): boolean {
  return isJsonObject(found) && isJsonObject(wanted) ? covers(found, wanted, hasAll) : isSame(found, wanted)
}

type JsonFields = { readonly [key: string]: Json }

function covers(found: JsonFields, wanted: JsonFields, fits: (found: Json, wanted: Json) => boolean): boolean {
  return Object.entries(wanted).every(([key, value]) => {
    const own = Object.hasOwn(found, key) ? found[key] : undefined
    return own !== undefined && fits(own, value)
  })
}
