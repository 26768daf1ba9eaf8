import { isGateHeader } from '../../kernel/contract/http-settings.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { followed } from './local-ref.ts'
import type { Document } from './read-document.ts'

const PLACES = ['path', 'query', 'header', 'cookie'] as const
export type ParameterPlace = (typeof PLACES)[number]

export type Parameter = {
  /** The name of the tool's argument: the parameter's name, unless two places use the same one. */
  readonly arg: string
  readonly name: string
  readonly in: ParameterPlace
  readonly required: boolean
  readonly style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json'
  readonly explode: boolean
  readonly schema: Json
  readonly description?: string
}

const STYLES: Readonly<Record<ParameterPlace, readonly Parameter['style'][]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}
/** According to the standard these are not parameters. */
const NO_PARAMETERS = new Set(['accept', 'content-type', 'authorization'])
/** A header that changes where a request goes, or how it is interpreted. */
const isForbidden = (name: string) =>
  isGateHeader(name) ||
  /^(?:cookie|proxy-.*|x-forwarded-.*|forwarded|x-http-method.*|x-original-.*|x-rewrite-.*)$/i.test(name)
const isHeaderName = (name: string) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)

/** What the gate itself adds to each request: never a parameter. */
export type AddedFields = { readonly headers: readonly string[]; readonly query: readonly string[] }

/** The parameters of one operation, including those of its path. A sentence if one of them cannot be sent. */
export function parametersOf(
  document: Document,
  shared: Json | undefined,
  own: Json | undefined,
  added: AddedFields,
): readonly Parameter[] | string {
  const byPlace = new Map<string, Omit<Parameter, 'arg'>>()
  for (const node of [...listOf(shared), ...listOf(own)]) {
    const about = followed(document.root, node)
    if (typeof about === 'string') return about
    const read = parameterOf(document, about)
    if (typeof read === 'string') return read
    if (isLeftOut(read, added)) continue
    if (read.in === 'header' && (isForbidden(read.name) || !isHeaderName(read.name)))
      return `its header \`${read.name}\` is not one that a caller may set`
    byPlace.set(`${read.in} ${read.name}`, read)
  }
  const all = [...byPlace.values()]
  const isShared = (name: string) => name === 'body' || all.filter((other) => other.name === name).length > 1
  return all.map((each) => ({ ...each, arg: isShared(each.name) ? `${each.in}_${each.name}` : each.name }))
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : [])

function isLeftOut({ in: place, name }: Pick<Parameter, 'in' | 'name'>, { headers, query }: AddedFields): boolean {
  if (place === 'query') return query.includes(name)
  const lower = name.toLowerCase()
  return place === 'header' && (NO_PARAMETERS.has(lower) || lower === 'idempotency-key' || headers.includes(lower))
}

function parameterOf(document: Document, about: JsonObject): Omit<Parameter, 'arg'> | string {
  const { name, required, description, style, explode, content } = about
  const place = PLACES.find((each) => each === about['in'])
  if (typeof name !== 'string' || name === '' || place === undefined)
    return 'one of its parameters has no name or place'
  const common = {
    name,
    in: place,
    required: required === true || place === 'path',
    ...(typeof description === 'string' ? { description } : {}),
  }
  if (isJsonObject(content)) {
    const [type, media] = Object.entries(content)[0] ?? []
    const read = followed(document.root, media)
    if (type === undefined || !isJsonType(type) || typeof read === 'string')
      return `its parameter \`${name}\` has a format that is not supported`
    return { ...common, style: 'json', explode: false, schema: read['schema'] ?? {} }
  }
  const [usual] = STYLES[place]
  const wanted = STYLES[place].find((each) => each === (style ?? usual))
  if (wanted === undefined)
    return `its parameter \`${name}\` has the style ${JSON.stringify(style)}, which is not supported`
  return {
    ...common,
    style: wanted,
    explode: typeof explode === 'boolean' ? explode : wanted === 'form',
    schema: about['schema'] ?? {},
  }
}

export const isJsonType = (type: string): boolean =>
  /^application\/(?:[\w.!#$&^-]+\+)?json(?:\s*;|$)/i.test(type.trim())
