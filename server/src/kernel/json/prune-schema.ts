import { markedText } from '../contract/visible-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'

/** How much of a schema is kept. */
export type Detail = {
  readonly depth: number
  readonly nodes: number
  readonly properties: number
  readonly text: number
  readonly choices: number
  readonly optional: boolean
}
export type Pruned = { readonly schema: JsonObject; readonly complete: boolean }

/** What a caller needs to fill in a value. Titles, examples, ids and comments are noise beside a description. */
const KEPT = [
  'type', 'const', 'default', 'format', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum',
  'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties',
] as const // prettier-ignore
const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * A smaller schema that is enough to call the tool: local `$ref`s are inlined, noise is removed, and what exceeds the detail is
 * left out.
 * INVARIANT: work is bounded by `detail`, whatever the schema contains; a recursive reference ends at the depth limit.
 */
export function pruneSchema(root: JsonObject, detail: Detail): Pruned {
  let nodes = 0
  let complete = true

  function prune(value: Json | undefined, depth: number): Json | undefined {
    nodes += 1
    if (nodes > detail.nodes || depth > detail.depth) {
      complete = false
      return undefined
    }
    if (typeof value === 'boolean') return value
    if (!isJsonObject(value)) return undefined
    const node = resolve(value, root)
    if (node === undefined) complete = false
    return node === undefined ? {} : pruneObject(node, depth)
  }

  function pruneObject(node: JsonObject, depth: number): JsonObject {
    const kept: Record<string, Json> = {}
    for (const key of KEPT) {
      const value = node[key]
      if (value !== undefined) keepScalar(kept, key, value)
    }
    if (typeof node['description'] === 'string' && depth > 0) keepText(kept, node['description'])
    if (Array.isArray(node['enum'])) kept['enum'] = cutList(node['enum'], detail.choices)
    if (isJsonObject(node['properties'])) keepProperties(kept, node, node['properties'], depth)
    keepInner(kept, 'items', node['items'], depth)
    if (isJsonObject(node['additionalProperties']))
      keepInner(kept, 'additionalProperties', node['additionalProperties'], depth)
    for (const key of CHOICES) {
      const options = node[key]
      if (!Array.isArray(options)) continue
      const pruned = cutList(options, detail.choices).map((option) => prune(option, depth + 1))
      const left = pruned.filter((option) => option !== undefined)
      if (left.length > 0) kept[key] = left
    }
    return kept
  }

  function keepScalar(kept: Record<string, Json>, key: string, value: Json): void {
    const plain = Array.isArray(value) ? cutList(value, detail.choices) : value
    // A default or constant as long as a text is not a hint any more.
    if (typeof plain === 'object' && plain !== null && !(Array.isArray(plain) && plain.every(isSmall))) complete = false
    else if (isSmall(plain) || Array.isArray(plain)) kept[key] = typeof plain === 'string' ? markedText(plain) : plain
    else complete = false
  }

  function keepText(kept: Record<string, Json>, text: string): void {
    if (detail.text > 0) kept['description'] = shorten(markedText(text.slice(0, detail.text + 1)), detail.text)
    if (text.length > detail.text) complete = false
  }

  function keepProperties(kept: Record<string, Json>, node: JsonObject, properties: JsonObject, depth: number): void {
    const required = requiredOf(node, properties)
    const names = [...new Set([...firstKeys(properties, detail.properties * 4), ...required])]
    const wanted = [...required, ...(detail.optional ? names.filter((name) => !required.includes(name)) : [])]
    if (wanted.length < names.length || wanted.length > detail.properties || names.length >= detail.properties * 4)
      complete = false
    const chosen = new Set(wanted.slice(0, detail.properties))
    const inner: [string, Json][] = []
    // In the schema's own order: authors put what matters first.
    for (const name of names.filter((name) => chosen.has(name)))
      inner.push([shownName(name), prune(properties[name], depth + 1) ?? {}])
    kept['properties'] = Object.fromEntries(inner)
    if (required.length > 0) kept['required'] = required.filter((name) => chosen.has(name)).map(shownName)
  }

  function keepInner(kept: Record<string, Json>, key: string, value: Json | undefined, depth: number): void {
    if (value === undefined || Array.isArray(value)) return
    const pruned = prune(value, depth + 1)
    if (pruned !== undefined) kept[key] = pruned
  }

  function cutList(list: readonly Json[], most: number): Json[] {
    if (list.length > most) complete = false
    return list
      .slice(0, most)
      .map((item) => (typeof item === 'string' ? shorten(markedText(item.slice(0, 81)), 80) : item))
  }

  const schema = prune(root, 0)
  return { schema: isJsonObject(schema) ? schema : {}, complete }
}

/** A name as it has to be sent. One with invisible characters is left out, so that no call uses it. */
const LONGEST_NAME = 200
const shownName = (name: string): string => shorten(markedText(name.slice(0, LONGEST_NAME + 1)), LONGEST_NAME)

const isSmall = (value: Json): boolean =>
  value === null ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length <= 120)

export const shorten = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).trimEnd()}…`

const requiredOf = (node: JsonObject, properties: JsonObject): string[] =>
  (Array.isArray(node['required']) ? node['required'].slice(0, 200) : []).filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
  )

function firstKeys(object: JsonObject, most: number): string[] {
  const keys: string[] = []
  for (const key in object) {
    if (keys.length >= most) break
    if (Object.hasOwn(object, key)) keys.push(key)
  }
  return keys
}

const MAX_HOPS = 8
const MAX_POINTER = 400

/** The target of a local `$ref`, merged with its siblings; undefined if it does not exist or is external. */
export function resolve(node: JsonObject, root: JsonObject): JsonObject | undefined {
  let at = node
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const reference = at['$ref']
    if (typeof reference !== 'string') return at
    const target = follow(reference, root)
    if (target === undefined) return undefined
    at = overlaid(target, at)
  }
  return undefined
}

/** The keys of a schema node that are used here. */
const READ = [
  ...KEPT, ...CHOICES, 'description', 'enum', 'examples', 'properties', 'required', 'items', 'additionalProperties',
] as const // prettier-ignore

/** A target merged with the siblings of its reference. Only keys that are used are copied: a node may have a million others. */
function overlaid(target: JsonObject, beside: JsonObject): JsonObject {
  const node: Record<string, Json> = {}
  for (const key of READ) {
    const value = beside[key] ?? target[key]
    if (value !== undefined) node[key] = value
  }
  if (typeof target['$ref'] === 'string') node['$ref'] = target['$ref']
  return node
}

function follow(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith('#') || reference.length > MAX_POINTER) return undefined
  let at: Json | undefined = root
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = (at as readonly Json[])[Number(key)]
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return isJsonObject(at) ? at : undefined
}
