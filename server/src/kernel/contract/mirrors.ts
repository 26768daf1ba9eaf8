import { isJsonObject, type Json, type JsonObject } from './json.ts'

/** An argument that the tool also wants in the header `Mcp-Param-<header>`. */
export type Mirror = { readonly header: string; readonly path: readonly string[] }

const KEY = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = new Set<Json | undefined>(['string', 'integer', 'boolean'])
const DEEPEST = 100

/** The mirrors of a schema, or why a client must not offer a tool with such a schema over HTTP. */
export function mirrorsOf(schema: JsonObject): readonly Mirror[] | string {
  const mirrors: Mirror[] = []
  const names = new Set<string>()
  let fault: string | undefined
  // A list instead of recursion: schemas come from the server and may be nested extremely deep.
  const ahead: { node: Json; path: readonly string[]; reachable: boolean }[] = [
    { node: schema, path: [], reachable: true },
  ]
  for (let next = ahead.pop(); next !== undefined && fault === undefined; next = ahead.pop()) {
    const { node, path, reachable } = next
    if (!isJsonObject(node)) continue
    const header = node[KEY]
    if (Object.hasOwn(node, KEY)) fault = faultIn(node, path, reachable, names)
    if (typeof header === 'string') mirrors.push({ header, path })
    if (path.length >= DEEPEST) continue
    const properties = isJsonObject(node['properties']) ? node['properties'] : {}
    for (const [key, child] of Object.entries(properties)) ahead.push({ node: child, path: [...path, key], reachable })
    for (const child of elsewhere(node)) ahead.push({ node: child, path: [...path, ''], reachable: false })
  }
  return fault ?? mirrors
}

function faultIn(
  node: JsonObject,
  path: readonly string[],
  reachable: boolean,
  names: Set<string>,
): string | undefined {
  const header = node[KEY]
  if (!reachable || path.length === 0) return `\`${KEY}\` is in a place that does not belong to a single argument`
  if (typeof header !== 'string' || !TOKEN.test(header)) return `\`${KEY}\` is not the name of a header`
  if (!TYPES.has(node['type'])) return `\`${KEY}\` belongs to an argument that is not a string, integer or boolean`
  if (names.has(header.toLowerCase())) return `\`${KEY}\` names the same header twice`
  names.add(header.toLowerCase())
  return undefined
}

const ONE = ['items', 'contains', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames']
const FEW = ['not', 'if', 'then', 'else', 'prefixItems', 'oneOf', 'anyOf', 'allOf']
const NAMED = ['patternProperties', 'dependentSchemas', '$defs', 'definitions']

/** The nested schemas that do not describe a single named argument. */
function elsewhere(node: JsonObject): readonly Json[] {
  const plain = [...ONE, ...FEW].flatMap((key) => node[key] ?? [])
  const named = NAMED.flatMap((key) => (isJsonObject(node[key]) ? Object.values(node[key]) : []))
  return [...plain, ...named]
}
