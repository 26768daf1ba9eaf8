import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import { BRIEF_STEPS, objectsIn } from '../json/schema-steps.ts'
import { compileSchema } from '../json/validate-args.ts'
import { resolve } from '../json/prune-schema.ts'
import { markedText } from '../contract/visible-text.ts'

const MAX_DEPTH = 8
const MAX_VALUES = 200
const MAX_LENGTH = 200
/** Compiling a larger schema just for an example is not worth the time. */
const MAX_SCHEMA_NODES = 3_000

const BY_FORMAT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date: '2030-01-31',
    time: '12:00:00Z',
    'date-time': '2030-01-31T12:00:00Z',
    duration: 'PT1H',
    email: 'name@example.com',
    hostname: 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uri: 'https://example.com/',
    'uri-reference': '/path',
    url: 'https://example.com/',
    uuid: '00000000-0000-4000-8000-000000000000',
  }),
)

/**
 * Arguments for an example call: the required ones, each the simplest value its schema accepts. Only returned if the gate's own
 * validator accepts it; undefined if nothing simple is valid or the schema is too large to try.
 */
export function exampleArgs(schema: JsonObject): JsonObject | undefined {
  if (!isSmallSchema(schema)) return undefined
  let values = 0

  function example(value: Json | undefined, name: string, depth: number): Json | undefined {
    values += 1
    if (values > MAX_VALUES || depth > MAX_DEPTH) return undefined
    if (!isJsonObject(value)) return value === false ? undefined : `<${name}>`
    const node = resolve(value, schema)
    if (node === undefined) return undefined
    const said = [node['const'], node['default'], firstOf(node['examples']), firstOf(node['enum'])]
    const given = said.find((candidate) => candidate !== undefined && candidate !== null)
    if (given !== undefined && depth > 0) return given
    const options = firstOf(node['anyOf']) ?? firstOf(node['oneOf'])
    if (options !== undefined && !isJsonObject(node['properties'])) return example(options, name, depth + 1)
    return byType(node, name, depth)
  }

  function byType(node: JsonObject, name: string, depth: number): Json | undefined {
    const listed = Array.isArray(node['type']) ? (node['type'] as readonly Json[]) : [node['type']]
    switch (listed.find((type) => type !== 'null') ?? (isJsonObject(node['properties']) ? 'object' : 'string')) {
      case 'object':
        return objectOf(node, depth)
      case 'array':
        return arrayOf(node, name, depth)
      case 'integer':
      case 'number':
        return numberOf(node)
      case 'boolean':
        return true
      default:
        return stringOf(node, name)
    }
  }

  function objectOf(node: JsonObject, depth: number): JsonObject | undefined {
    const filled: [string, Json][] = []
    const properties = isJsonObject(node['properties']) ? node['properties'] : {}
    const all = [node, ...partsOf(node, schema)]
    for (const key of all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []))) {
      if (typeof key !== 'string') continue
      const from = all.find((part) => isJsonObject(part['properties']) && Object.hasOwn(part['properties'], key))
      const inner = isJsonObject(from?.['properties']) ? from['properties'][key] : properties[key]
      const value = example(inner ?? true, key, depth + 1)
      if (value === undefined) return undefined
      filled.push([key, value])
    }
    return Object.fromEntries(filled)
  }

  function arrayOf(node: JsonObject, name: string, depth: number): Json | undefined {
    const least = Math.max(1, typeof node['minItems'] === 'number' ? node['minItems'] : 1)
    if (least > MAX_DEPTH) return undefined
    const item = example(node['items'] ?? true, name.replace(/s$/, ''), depth + 1)
    return item === undefined ? undefined : Array.from({ length: least }, () => item)
  }

  const built = example(schema, 'input', 0)
  if (!isJsonObject(built)) return undefined
  // An example is not worth a wait: none is made for a schema that takes long to check.
  if (objectsIn(schema, MOST_OBJECTS) === undefined) return undefined
  const compiled = compileSchema(schema, BRIEF_STEPS)
  return compiled.ok && compiled.value(built, BRIEF_STEPS) === undefined && isPlain(built) ? built : undefined
}

const MOST_OBJECTS = 150

/** Defaults and names come from the server: no example is made if they contain invisible characters. */
const isPlain = (value: Json): boolean => {
  const text = JSON.stringify(value)
  return markedText(text) === text
}

const firstOf = (list: Json | undefined): Json | undefined =>
  Array.isArray(list) ? (list as readonly Json[]).find((item) => item !== null) : undefined

/** The members of an `allOf`: a value has to match all of them. */
const partsOf = (node: JsonObject, root: JsonObject): JsonObject[] =>
  (Array.isArray(node['allOf']) ? node['allOf'].slice(0, MAX_DEPTH) : []).flatMap((part: Json) => {
    const target = isJsonObject(part) ? resolve(part, root) : undefined
    return target === undefined ? [] : [target]
  })

function numberOf(node: JsonObject): number {
  const bound = (key: string): number | undefined => (typeof node[key] === 'number' ? node[key] : undefined)
  const step = bound('multipleOf') ?? (node['type'] === 'integer' ? 1 : undefined)
  const above = bound('exclusiveMinimum')
  const least = bound('minimum') ?? (above === undefined ? undefined : above + (step ?? 1))
  const most = bound('maximum') ?? bound('exclusiveMaximum')
  let value = least ?? (most !== undefined && most < 1 ? most - (bound('maximum') === undefined ? 1 : 0) : 1)
  if (step !== undefined && step > 0) value = Math.ceil(value / step) * step
  return value
}

function stringOf(node: JsonObject, name: string): string | undefined {
  const format = typeof node['format'] === 'string' ? BY_FORMAT.get(node['format']) : undefined
  const least = typeof node['minLength'] === 'number' ? node['minLength'] : 0
  const most = typeof node['maxLength'] === 'number' ? node['maxLength'] : MAX_LENGTH
  if (least > MAX_LENGTH) return undefined
  if (format !== undefined) return format
  const text = `<${name.slice(0, 60)}>`
  return text.length > most ? 'x'.repeat(Math.max(least, Math.min(most, 1))) : text.padEnd(least, 'x')
}

function isSmallSchema(schema: JsonObject): boolean {
  const open: Json[] = [schema]
  for (let nodes = 0; open.length > 0; nodes += 1) {
    if (nodes > MAX_SCHEMA_NODES) return false
    const value = open.pop()
    if (typeof value === 'string' && value.length > MAX_SCHEMA_NODES) return false
    if (typeof value !== 'object' || value === null) continue
    const inner = Array.isArray(value) ? (value as readonly Json[]) : Object.values(value)
    if (open.length + inner.length > MAX_SCHEMA_NODES) return false
    open.push(...inner)
  }
  return true
}
