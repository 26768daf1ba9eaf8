import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { atPointer, shown, stepsOf } from './local-ref.ts'
import type { Document } from './read-document.ts'

/** Keywords whose value is one schema, a list of them, or one for each name. */
const ONE = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const MAP = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Copied unchanged. All other keywords (examples, XML, extensions, identifiers) are dropped. */
const PLAIN = new Set(
  `type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems
   uniqueItems maxContains minContains maxProperties minProperties required dependentRequired title description default format
   deprecated contentEncoding contentMediaType`.split(/\s+/),
)
const MOST_DEFINITIONS = 400
const DEEPEST = 60

export type Direction = 'input' | 'output'

export type SchemaMaker = {
  /** The schema as JSON Schema; its references point to the later contents of `definitions`. */
  make(schema: Json): Json
  definitions(): JsonObject
  /** Why the result cannot be used, if it cannot. */
  fault(): string | undefined
}

/**
 * Converts schemas of an OpenAPI file to JSON Schema. Referenced schemas are included once, under `$defs`, so cycles stay cycles.
 * INVARIANT: the result refers to nothing outside itself.
 */
export function schemaMaker({ root, version }: Document, direction: Direction): SchemaMaker {
  const names = new Map<string, string>()
  const definitions = new Map<string, Json>()
  let fault: string | undefined

  function refer(reference: Json): JsonObject {
    if (typeof reference !== 'string' || !reference.startsWith('#/')) {
      fault ??= `a schema's \`$ref\` points outside the file (${shown(reference)}); nothing is fetched`
      return {}
    }
    const known = names.get(reference)
    if (known !== undefined) return { $ref: `#/$defs/${known}` }
    const target = atPointer(root, reference)
    if (target === undefined) fault ??= `a schema's \`$ref\` points to nothing (${shown(reference)})`
    const name = freshName(reference)
    names.set(reference, name)
    if (names.size > MOST_DEFINITIONS) fault ??= `its schema needs more than ${MOST_DEFINITIONS} others`
    // Marked as taken before it is converted, because it may refer to itself.
    if (fault === undefined && target !== undefined) definitions.set(name, make(target, 0))
    return { $ref: `#/$defs/${name}` }
  }

  function freshName(reference: string): string {
    const wished = (stepsOf(reference).at(-1) ?? '').replaceAll(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
    const taken = new Set(names.values())
    let name = wished
    for (let count = 2; taken.has(name); count += 1) name = `${wished}_${count}`
    return name
  }

  function make(schema: Json, depth: number): Json {
    if (typeof schema === 'boolean') return schema
    if (!isJsonObject(schema) || depth > DEEPEST) {
      fault ??= depth > DEEPEST ? 'its schema is nested too deep' : 'a schema is neither an object nor a boolean'
      return {}
    }
    const { $ref } = schema
    // In 3.0 the siblings of a reference are ignored.
    if ($ref !== undefined && version === '3.0') return refer($ref)
    const made: Record<string, Json> = $ref === undefined ? {} : refer($ref)
    for (const [word, value] of Object.entries(schema)) {
      if (PLAIN.has(word)) made[word] = value
      else if (ONE.has(word)) made[word] = make(value, depth + 1)
      else if (LIST.has(word) && Array.isArray(value)) made[word] = value.map((each: Json) => make(each, depth + 1))
      else if (MAP.has(word) && isJsonObject(value))
        made[word] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, make(each, depth + 1)]))
      else if (word === '$dynamicRef' || word === '$recursiveRef') fault ??= `\`${word}\` is not supported`
    }
    return without(version === '3.0' ? modernised(schema, made) : made, hiddenIn(schema, direction))
  }

  return {
    make: (schema) => make(schema, 0),
    definitions: () => Object.fromEntries(definitions),
    fault: () => fault,
  }
}

/** 3.0 uses `nullable`, and a separate flag for exclusive limits. */
function modernised(schema: JsonObject, made: Record<string, Json>): Record<string, Json> {
  const { type, nullable } = schema
  if (nullable === true && typeof type === 'string') {
    made['type'] = [type, 'null']
    if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) made['enum'] = [...schema['enum'], null]
  }
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const is_exclusive = schema[exclusive]
    if (typeof is_exclusive !== 'boolean') continue
    delete made[exclusive]
    const value = schema[limit]
    if (is_exclusive && typeof value === 'number') {
      made[exclusive] = value
      delete made[limit]
    }
  }
  return made
}

/** Read-only properties are not sent, and write-only ones are not returned. */
function hiddenIn(schema: JsonObject, direction: Direction): readonly string[] {
  const { properties } = schema
  if (!isJsonObject(properties)) return []
  const word = direction === 'input' ? 'readOnly' : 'writeOnly'
  return Object.entries(properties)
    .filter(([, property]) => isJsonObject(property) && property[word] === true)
    .map(([name]) => name)
}

function without(made: Record<string, Json>, names: readonly string[]): Record<string, Json> {
  if (names.length === 0) return made
  const { properties, required } = made
  if (isJsonObject(properties))
    made['properties'] = Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
  if (Array.isArray(required)) made['required'] = required.filter((name) => !names.includes(String(name)))
  return made
}
