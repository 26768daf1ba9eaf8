import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { CompiledRules } from './compile-rules.ts'
import { locate, locateInField } from './find-sensitive.ts'
import { replaced } from './replace-matches.ts'
import type { TextMatch } from './rule.ts'
import { stableMatches } from './stable-matches.ts'
import type { RankedMatch } from './try-rule.ts'

/**
 * Where in a JSON value a finding is: an RFC 6901 pointer, and the span inside that string. `place` is the pointer in the
 * redacted value, where a key that is itself a secret is replaced.
 */
export type JsonMatch = TextMatch & { readonly path: string; readonly place: string }
export type RedactedJson = { readonly value: Json; readonly findings: readonly JsonMatch[] }

/**
 * Redacts every string and number of a JSON value, and the keys of its objects. The key of a field is evidence too: in
 * `{"password": "…"}` the value is a secret because of its key, also inside arrays.
 */
export function redactJson(value: Json, rules: CompiledRules): RedactedJson {
  const findings: JsonMatch[] = []
  return { value: redacted(value, '', ROOT, { rules, findings }), findings }
}

const LONGEST_NAME = 64

type Place = Pick<JsonMatch, 'path' | 'place'>
const ROOT: Place = { path: '', place: '' }
const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
const below = ({ path, place }: Place, key: string, shown: string = key): Place => ({
  path: `${path}/${escape(key)}`,
  place: `${place}/${escape(shown)}`,
})

type Work = { readonly rules: CompiledRules; readonly findings: JsonMatch[] }

function redacted(value: Json, name: string, at: Place, work: Work): Json {
  if (typeof value === 'string') return redactedLeaf(value, name, at, work)
  if (typeof value === 'number') {
    const text = String(value)
    const after = redactedLeaf(text, name, at, work)
    return after === text ? value : after
  }
  if (Array.isArray(value)) return value.map((item: Json, index) => redacted(item, name, below(at, `${index}`), work))
  return isJsonObject(value) ? redactedObject(value, at, work) : value
}

function redactedObject(object: JsonObject, at: Place, work: Work): JsonObject {
  const before = work.findings.length
  const names = new FreeNames()
  const entries = Object.entries(object).map(([key, field]): [string, Json] => {
    const found = leafFindings(key, '', work)
    const shown = replaced(key, found)
    const free = names.take(shown)
    const own = below(at, key, free)
    for (const finding of found) work.findings.push({ ...finding, ...own })
    return [free, redacted(field, labelOf(object, key, work) ?? withoutMarks(shown), own, work)]
  })
  return work.findings.length === before ? object : Object.fromEntries(entries)
}

/** `{"name": "API_TOKEN", "value": "…"}` names its value in another field. */
function labelOf(object: JsonObject, key: string, { rules }: Work): string | undefined {
  const from = object.name === undefined ? 'key' : 'name'
  const label = object[from]
  if (key !== 'value' || typeof label !== 'string') return undefined
  return withoutMarks(redactedLeaf(label, from, ROOT, { rules, findings: [] }))
}

/**
 * A name is used as evidence only as far as redaction keeps it, without the marks: nobody named the field `[REDACTED_SECRET]`,
 * and a second redaction must not find more than the first.
 */
export const withoutMarks = (name: string) =>
  name.includes('[') ? name.replaceAll(/\[REDACTED_[A-Z0-9_]{1,40}\]/g, '') : name

/** Two keys of one object that become equal by redaction remain two fields. */
export class FreeNames {
  private readonly taken = new Set<string>()
  /** How often each name was requested, so that the thousandth does not try all numbers again. */
  private readonly asked = new Map<string, number>()

  take(key: string): string {
    let count = this.asked.get(key) ?? 0
    let free: string
    do {
      count += 1
      free = count === 1 ? key : `${key}_${count}`
    } while (this.taken.has(free))
    this.asked.set(key, count)
    this.taken.add(free)
    return free
  }
}

function redactedLeaf(text: string, name: string, at: Place, work: Work): string {
  const findings = leafFindings(text, name, work)
  for (const finding of findings) work.findings.push({ ...finding, ...at })
  return replaced(text, findings)
}

const leafFindings = (text: string, name: string, { rules }: Work): readonly TextMatch[] =>
  findInField(text, name, rules)

/** The findings in one text of a JSON value, whose field is called `name`. */
export function findInField(text: string, name: string, rules: CompiledRules): readonly TextMatch[] {
  const known = name.length > LONGEST_NAME ? name.slice(-LONGEST_NAME) : name
  const found = spansOfLeaf(text, known, rules)
  return found.length === 0 ? found : stableMatches(text, found, (shown) => spansOfLeaf(shown, known, rules))
}

function spansOfLeaf(text: string, name: string, rules: CompiledRules): readonly RankedMatch[] {
  if (name === '') return locate(text, rules).spans
  // Puts the name before the value, as in a text, for rules that use nearby words.
  const lead = `${name}: `
  const inside = locate(lead + text, rules).spans
  const byName = locateInField(name, text, rules)
  if (inside.length === 0) return byName
  return inside
    .filter((span) => span.start >= lead.length)
    .map((span) => ({ ...span, start: span.start - lead.length, end: span.end - lead.length }))
    .concat(byName)
}
