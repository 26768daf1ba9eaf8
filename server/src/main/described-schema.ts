import { z } from 'zod'
import { CONFIG } from './config-schema.ts'

/** A mutable JSON Schema. */
type Node = { [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const nodesIn = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

export type DescribedKey = {
  readonly path: string
  readonly type: string
  readonly default?: unknown
  readonly description?: string
}

/** The JSON Schema of `sluice.yaml` with a description at every key, and all its keys. */
export function describedSchema(): { readonly schema: object; readonly keys: readonly DescribedKey[] } {
  const schema = z.toJSONSchema(CONFIG, { io: 'input', unrepresentable: 'any' }) as Node
  const keys = new Map<string, DescribedKey>()
  visit(schema, '', { schema, keys, within: [] })
  return { schema, keys: [...keys.values()] }
}

export const schemaText = (): string => `${JSON.stringify(describedSchema().schema, null, 2)}\n`

type Walk = { readonly schema: Node; readonly keys: Map<string, DescribedKey>; readonly within: readonly unknown[] }

function visit(given: unknown, path: string, walk: Walk): void {
  if (!isNode(given)) return
  const node = referred(given, walk.schema)
  if (walk.within.includes(node)) return
  const below = { ...walk, within: [...walk.within, node] }
  for (const choice of ['anyOf', 'oneOf', 'allOf']) for (const each of nodesIn(node[choice])) visit(each, path, below)
  for (const [key, value] of Object.entries(isNode(node['properties']) ? node['properties'] : {})) {
    // In a union, a key that this alternative must not have.
    if (!isNode(value) || isNode(value['not'])) continue
    const place = path === '' ? key : `${path}.${key}`
    describe(value, place, walk)
    visit(value, place, below)
  }
  visit(node['additionalProperties'], `${path}.*`, below)
  visit(node['items'], `${path}[]`, below)
}

function describe(node: Node, path: string, { schema, keys }: Walk): void {
  const description = inText(node['description'])
  // Last, after what the key is.
  delete node['description']
  if (description !== undefined) node['description'] = description
  if (keys.has(path)) return
  keys.set(path, {
    path,
    type: typeOf(referred(node, schema), schema),
    ...(node['default'] === undefined ? {} : { default: node['default'] }),
    ...(description === undefined ? {} : { description }),
  })
}

const inText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function referred(node: Node, schema: Node): Node {
  const { $ref } = node
  const defs = isNode(schema['$defs']) ? schema['$defs'] : {}
  const named = typeof $ref === 'string' ? defs[$ref.replace('#/$defs/', '')] : undefined
  return isNode(named) ? named : node
}

/** In a word: a type, the values of a choice, or the types of several alternatives. */
function typeOf(node: Node, schema: Node): string {
  if (Array.isArray(node['enum'])) return node['enum'].map((value) => JSON.stringify(value)).join(', ')
  if (node['const'] !== undefined) return JSON.stringify(node['const'])
  const shapes = [...nodesIn(node['anyOf']), ...nodesIn(node['oneOf'])]
  // JSON itself is the only schema that refers to itself.
  if (shapes.some(({ items }) => isNode(items) && referred(items, schema) === node)) return 'any value'
  const types = shapes.map((shape) => typeOf(referred(shape, schema), schema))
  if (types.length > 0) return [...new Set(types)].join(' or ')
  if (node['type'] === 'object') return 'map'
  if (node['type'] !== 'array') return typeof node['type'] === 'string' ? node['type'] : 'any value'
  return isNode(node['items']) ? `list of ${typeOf(referred(node['items'], schema), schema)}` : 'list'
}
