import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { schemaMaker, type SchemaMaker } from './json-schema.ts'
import { followed } from './local-ref.ts'
import { isJsonType, parametersOf, type AddedFields, type Parameter } from './parameters.ts'
import type { Document } from './read-document.ts'
import { trimmedBoth } from '../../kernel/contract/trimmed.ts'

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
export type OperationMethod = Uppercase<(typeof METHODS)[number]>

export type Operation = {
  readonly definition: ToolDefinition
  readonly method: OperationMethod
  /** With `{name}` for parameters. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly type: string; readonly as: 'json' | 'form' }
}

export type OperationListing = {
  readonly operations: readonly Operation[]
  /** What is in the file but not offered, and why. */
  readonly dropped: readonly { readonly name: string; readonly says: string }[]
}

export type ListingOptions = {
  readonly added: AddedFields
  /** Where all requests go; an operation with another server is not offered. */
  readonly base: string
  readonly isWanted: (name: string) => boolean
}

const LONGEST_NAME = 128
const LARGEST_SCHEMA = 262_144

/** All operations of a file that can be called. One that cannot does not affect the others. */
export function operationsOf(document: Document, options: ListingOptions): OperationListing {
  const operations = new Map<string, Operation>()
  const dropped: { name: string; says: string }[] = []
  const { paths } = document.root
  for (const [path, node] of isJsonObject(paths) ? Object.entries(paths) : []) {
    const item = followed(document.root, node)
    for (const method of METHODS) {
      const about = isJsonObject(item) ? item[method] : undefined
      if (!isJsonObject(item) || !isJsonObject(about)) continue
      const name = nameOf(method, path, about)
      if (!options.isWanted(name)) continue
      const made = operations.has(name)
        ? 'another operation has the same name'
        : operationOf({ document, options, path, method, item, about, name })
      if (typeof made === 'string') dropped.push({ name, says: made })
      else operations.set(name, made)
    }
  }
  return { operations: [...operations.values()], dropped }
}

function nameOf(method: string, path: string, { operationId }: JsonObject): string {
  const wished = typeof operationId === 'string' ? asName(operationId) : ''
  return (wished === '' ? asName(`${method} ${path}`) : wished).slice(0, LONGEST_NAME)
}

const asName = (text: string) => trimmedBoth(text.replaceAll(/[^A-Za-z0-9_.-]+/g, '_'), '_.-')

type Found = {
  readonly document: Document
  readonly options: ListingOptions
  readonly path: string
  readonly method: (typeof METHODS)[number]
  readonly item: JsonObject
  readonly about: JsonObject
  readonly name: string
}

function operationOf({ document, options, path, method, item, about, name }: Found): Operation | string {
  if (isElsewhere(about['servers'] ?? item['servers'], options.base))
    return 'it has its own `servers`; add it as another server with that `base_url`'
  const parameters = parametersOf(document, item['parameters'], about['parameters'], options.added)
  if (typeof parameters === 'string') return parameters
  const fault = pathFault(path, parameters)
  if (fault !== undefined) return fault
  const body = bodyOf(document, about['requestBody'])
  if (typeof body === 'string') return body
  const maker = schemaMaker(document, 'input')
  const inputSchema = inputOf(maker, parameters, body)
  const unusable = maker.fault()
  if (unusable !== undefined) return unusable
  if (JSON.stringify(inputSchema).length > LARGEST_SCHEMA) return 'its schema is too large'
  const outputSchema = outputOf(document, about['responses'])
  const upper = method.toUpperCase() as OperationMethod
  const { summary } = about
  return {
    definition: {
      name,
      ...(typeof summary === 'string' && summary !== '' ? { title: summary.slice(0, 200) } : {}),
      description: descriptionOf(about, `${upper} ${path}`),
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: HINTS[upper],
    },
    method: upper,
    path,
    parameters,
    ...(body === undefined ? {} : { body: { type: body.type, as: body.as } }),
  }
}

/** What HTTP says about its methods. Whether this API conforms is its author's claim. */
const HINTS: Readonly<Record<OperationMethod, JsonObject>> = {
  GET: { readOnlyHint: true },
  HEAD: { readOnlyHint: true },
  POST: { readOnlyHint: false },
  PUT: { readOnlyHint: false, idempotentHint: true },
  PATCH: { readOnlyHint: false },
  DELETE: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
}

function isElsewhere(servers: Json | undefined, base: string): boolean {
  if (!Array.isArray(servers) || servers.length === 0) return false
  const [first] = servers as Json[]
  const url = isJsonObject(first) ? first['url'] : undefined
  return typeof url !== 'string' || url.replace(/\/$/, '') !== base.replace(/\/$/, '')
}

/** Every name in the path must be a parameter and vice versa, and the rest must stay unchanged in a URL. */
function pathFault(path: string, parameters: readonly Parameter[]): string | undefined {
  const named = [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1])
  const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
  const absent = [
    ...named.filter((name) => !inPath.includes(name ?? '')),
    ...inPath.filter((name) => !named.includes(name)),
  ]
  if (absent.length > 0) return `\`${absent[0]}\` is missing in its path or in its parameters`
  if (new Set(parameters.map(({ arg }) => arg)).size < parameters.length)
    return 'two of its parameters have the same name'
  const tried = path.replaceAll(/\{[^{}]*\}/g, 'x')
  const url = URL.parse(`http://x${tried}`)
  return path.startsWith('/') && url?.pathname === tried && url.search === '' && url.hash === ''
    ? undefined
    : 'its path cannot be sent as written'
}

type Body = { readonly type: string; readonly as: 'json' | 'form'; readonly required: boolean; readonly schema: Json }

function bodyOf(document: Document, node: Json | undefined): Body | string | undefined {
  if (node === undefined) return undefined
  const about = followed(document.root, node)
  if (typeof about === 'string') return about
  const content = isJsonObject(about['content']) ? about['content'] : {}
  const types = Object.keys(content)
  const json = types.find(isJsonType) ?? types.find((each) => each === '*/*')
  const form = types.find((each) => /^application\/x-www-form-urlencoded(?:\s*;|$)/i.test(each))
  const type = json ?? form
  if (type === undefined) return `its body is ${types[0] ?? 'of no type'}; only JSON and forms can be sent`
  const media = content[type]
  const schema = isJsonObject(media) ? media['schema'] : undefined
  const as = json === undefined ? ('form' as const) : ('json' as const)
  return {
    type: type === '*/*' ? 'application/json' : type,
    as,
    required: about['required'] === true,
    schema: schema ?? {},
  }
}

function inputOf(maker: SchemaMaker, parameters: readonly Parameter[], body: Body | undefined): JsonObject {
  const properties: [string, Json][] = parameters.map(({ arg, schema, description }) => {
    const made = maker.make(schema)
    return [arg, isJsonObject(made) && description !== undefined ? { ...made, description } : made]
  })
  if (body !== undefined) properties.push(['body', maker.make(body.schema)])
  const required = [
    ...parameters.filter((each) => each.required).map(({ arg }) => arg),
    ...(body?.required === true ? ['body'] : []),
  ]
  const definitions = maker.definitions()
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  }
}

/** Only if every success is declared as the same JSON object; otherwise the declaration could be wrong. */
function outputOf(document: Document, responses: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(responses)) return undefined
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const [success] = successes
  if (success === undefined || successes.length > 1 || !/^2\d\d$/.test(success[0])) return undefined
  const about = followed(document.root, success[1])
  const content = isJsonObject(about) && isJsonObject(about['content']) ? Object.entries(about['content']) : []
  const [media] = content
  if (media === undefined || content.length > 1 || !isJsonType(media[0]) || !isJsonObject(media[1])) return undefined
  const schema = followed(document.root, media[1]['schema'])
  if (typeof schema === 'string' || schema['type'] !== 'object') return undefined
  const maker = schemaMaker(document, 'output')
  const made = maker.make(schema)
  const definitions = maker.definitions()
  if (!isJsonObject(made) || maker.fault() !== undefined) return undefined
  const whole = { ...made, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) }
  return JSON.stringify(whole).length > LARGEST_SCHEMA ? undefined : whole
}

function descriptionOf({ summary, description, deprecated }: JsonObject, request: string): string {
  const said = [description, summary].find((text) => typeof text === 'string' && text.trim() !== '')
  const parts = [typeof said === 'string' ? said.trim() : '', deprecated === true ? 'Deprecated.' : '', `(${request})`]
  return parts.filter((part) => part !== '').join('\n\n')
}
