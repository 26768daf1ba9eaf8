import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'

const MOST_SHOWN = 5
const known = new WeakMap<JsonObject, ReadonlySet<string>>()

/**
 * A place in the arguments, in a form that may be shown.
 * INVARIANT: only indexes and names from the tool's own schema are shown; the caller chose any other key, and it may be sensitive
 * itself.
 */
export function shownPointer(path: readonly string[], schema: JsonObject): string {
  const names = namesIn(schema)
  const shown = path.map((key) => (names.has(key) || /^\d{1,4}$/.test(key) ? escape(key) : '*'))
  return shown.length === 0 ? '/' : `/${shown.join('/')}`
}

/** `/a`, `/b` and 3 more. */
export function namePlaces(pointers: readonly string[]): string {
  const places = [...new Set(pointers)]
  const shown = places.slice(0, MOST_SHOWN).map((place) => `\`${place}\``)
  const more = places.length - shown.length
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`
}

function namesIn(schema: JsonObject): ReadonlySet<string> {
  const found = known.get(schema) ?? new Set(propertyNames(schema))
  known.set(schema, found)
  return found
}

/** The names of all properties, at any depth and under any keyword. */
function propertyNames(schema: JsonObject): string[] {
  const names: string[] = []
  const open: Json[] = [schema]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next)
    if (!isJsonObject(next)) continue
    if (isJsonObject(next['properties'])) names.push(...Object.keys(next['properties']))
    open.push(...Object.values(next))
  }
  return names
}

const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
