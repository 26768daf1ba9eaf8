import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'

/**
 * The step limit for checking one value. Schemas come from tool servers: forty definitions that each refer twice to the previous
 * one are a small text and 2^40 checks.
 */
export type SchemaBudget = { steps: number; most: number }

/** About a second of work. A value that needs more is not validated, and so not accepted. */
export const MAX_STEPS = 20_000_000
/** A few milliseconds of work: as long as the event loop may be blocked. */
export const BRIEF_STEPS = 100_000
/**
 * Following a reference is a function call, and on failure an error with its path; one state of a pattern costs next to nothing.
 */
const STEPS_PER_REFERENCE = 20

/** Compiling takes about a fifth of a millisecond per object. */
const MAX_OBJECTS = 5_000

export function spend(meter: SchemaBudget, steps: number): void {
  meter.steps += steps
  if (meter.steps > meter.most) throw new RangeError('the value takes too long to validate')
}

export const STEP = 'x-sluice-step'

/** A keyword that accepts everything and counts a step. */
export const stepKeyword = (meter: SchemaBudget) => ({
  keyword: STEP,
  errors: false as const,
  validate: () => {
    spend(meter, STEPS_PER_REFERENCE)
    return true
  },
})

/**
 * The schema with a step at each target of a reference; undefined if it has too many parts. Without references the work is
 * bounded by the schema and the value, so nothing is added. If it is unclear what a reference means, more places than necessary
 * count steps.
 */
export function withSteps(schema: JsonObject): JsonObject | undefined {
  const objects = objectsIn(schema)
  if (objects === undefined) return undefined
  if (!objects.some(isReference)) return schema
  // Both are our own copies without methods; the server's schema itself is pinned and not modified.
  const own = JSON.parse(JSON.stringify(schema)) as Record<string, Json>
  const parts = objectsIn(own) ?? []
  const resources = [own, ...parts.filter((part) => '$id' in part)]
  const anchored = parts.filter((part) => ANCHORS.some((anchor) => anchor in part))
  const pointed = new Set(parts.filter(isReference).flatMap((part) => referencesOf(part)))
  for (const reference of pointed)
    for (const target of targetsOf(reference, resources, anchored)) (target as Record<string, Json>)[STEP] = true
  return own
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const
const ANCHORS = ['$anchor', '$dynamicAnchor', '$recursiveAnchor', '$id'] as const

const isReference = (part: JsonObject): boolean => REFERENCES.some((key) => typeof part[key] === 'string')
const referencesOf = (part: JsonObject): string[] =>
  REFERENCES.map((key) => part[key]).filter((value) => typeof value === 'string')

function targetsOf(
  reference: string,
  resources: readonly JsonObject[],
  anchored: readonly JsonObject[],
): readonly JsonObject[] {
  const at = reference.indexOf('#')
  const fragment = at === -1 ? '' : decoded(reference.slice(at + 1))
  if (fragment === '') return resources
  if (!fragment.startsWith('/')) return anchored
  return resources.map((resource) => follow(fragment, resource)).filter((target) => target !== undefined)
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function follow(pointer: string, root: JsonObject): JsonObject | undefined {
  let at: Json | undefined = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Readonly<Record<string, Json>>)[key]
  }
  return isJsonObject(at) ? at : undefined
}

/** Every object of a schema, itself first; undefined if there are too many. */
export function objectsIn(schema: JsonObject, most = MAX_OBJECTS): JsonObject[] | undefined {
  const objects: JsonObject[] = []
  const open: Json[] = [schema]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (isJsonObject(value)) objects.push(value)
    if (objects.length > most) return undefined
    for (const inner of Object.values(value)) open.push(inner)
  }
  return objects
}
