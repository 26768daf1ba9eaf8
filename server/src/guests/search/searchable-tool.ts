import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'

/** What search uses of a tool. All of it is the tool server's own text: data, whatever it says. */
export type SearchableTool = {
  readonly id: string
  readonly name: string
  readonly server?: string
  readonly server_description?: string
  readonly title?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly inputSchema?: JsonObject
}

export const FIELDS = ['name', 'title', 'description', 'tags', 'parameters', 'parameter text', 'server'] as const
export type Field = (typeof FIELDS)[number]

export type ToolText = { readonly [F in Field]: string }

/** More is not needed to recognize a tool, so a hostile schema of megabytes costs no more than an honest one. */
const MAX_FIELD = 8_000
const MAX_NODES = 400
const MAX_DEPTH = 6
const MAX_ENUM = 40

export function toolText(tool: SearchableTool): ToolText {
  const parameters = parameterText(tool.inputSchema)
  return {
    name: cut(tool.name),
    title: cut(tool.title ?? ''),
    description: cut(tool.description ?? ''),
    tags: cut((tool.tags ?? []).slice(0, MAX_ENUM).join(' \n ')),
    parameters: cut(parameters.names.join(' \n ')),
    'parameter text': cut(parameters.texts.join(' \n ')),
    server: cut(`${tool.server ?? ''} \n ${tool.server_description ?? ''}`),
  }
}

/** What an embedding model reads of a tool. */
export function meaningText(tool: SearchableTool): string {
  const { name, title, description, tags, parameters, server } = toolText(tool)
  return [server, name, title, description, tags, parameters].join('\n')
}

const cut = (text: string): string => (text.length <= MAX_FIELD ? text : text.slice(0, MAX_FIELD))

type ParameterText = { readonly names: string[]; readonly texts: string[] }

const NESTED = ['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', '$defs', 'definitions'] as const

/**
 * Names, descriptions and choices of a schema's parameters, nearest first. `$ref`s are not followed: their targets are read where
 * they are defined.
 */
function parameterText(schema: JsonObject | undefined): ParameterText {
  const text: ParameterText = { names: [], texts: [] }
  let level: readonly Json[] = schema === undefined ? [] : [schema]
  let nodes = 0
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: Json[] = []
    for (const node of level) {
      nodes += 1
      if (nodes > MAX_NODES) return text
      if (Array.isArray(node)) next.push(...node.slice(0, MAX_NODES))
      else if (isJsonObject(node)) readNode(node, depth, text, next)
    }
    level = next
  }
  return text
}

function readNode(node: JsonObject, depth: number, text: ParameterText, next: Json[]): void {
  // The schema's own description repeats the tool's.
  if (depth > 0 && typeof node['description'] === 'string') text.texts.push(cut(node['description']))
  if (depth > 0 && typeof node['title'] === 'string') text.texts.push(cut(node['title']))
  if (Array.isArray(node['enum']))
    for (const choice of node['enum'].slice(0, MAX_ENUM)) if (typeof choice === 'string') text.texts.push(cut(choice))
  const properties = node['properties']
  if (isJsonObject(properties))
    for (const name of firstKeys(properties)) {
      text.names.push(cut(name))
      next.push(properties[name] ?? null)
    }
  for (const key of NESTED) {
    const inner = node[key]
    if (key === '$defs' || key === 'definitions') {
      if (isJsonObject(inner)) for (const name of firstKeys(inner)) next.push(inner[name] ?? null)
    } else if (typeof inner === 'object' && inner !== null) next.push(inner)
  }
}

function firstKeys(object: JsonObject): string[] {
  const keys: string[] = []
  for (const key in object) {
    if (keys.length >= MAX_NODES) break
    if (Object.hasOwn(object, key)) keys.push(key)
  }
  return keys
}
