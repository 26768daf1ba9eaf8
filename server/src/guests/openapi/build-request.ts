import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { decodedPath, mostDots } from '../../kernel/text/path-parts.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { Operation } from './operations.ts'
import type { Parameter } from './parameters.ts'

export type BuiltRequest = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}
export type Built =
  { readonly ok: true; readonly request: BuiltRequest } | { readonly ok: false; readonly says: string }

/**
 * One operation with a call's arguments filled in.
 * INVARIANT: whatever the arguments are, the request is to this operation: same origin, as many path segments as the template
 * has, the operator's query unchanged, no header but the declared ones (laws in build-request.test.ts).
 */
export function buildRequest(
  operation: Operation,
  base: URL,
  query: Readonly<Record<string, string>>,
  args: JsonObject,
): Built {
  const given = new Map<Parameter, Pairs>()
  for (const parameter of operation.parameters) {
    const value = Object.hasOwn(args, parameter.arg) ? args[parameter.arg] : undefined
    if (value === undefined) continue
    const pairs = spellParameter(parameter, value)
    if (pairs === undefined) return wrong(parameter, 'cannot be nested')
    const fault = faultIn(parameter, pairs)
    if (fault !== undefined) return wrong(parameter, fault)
    given.set(parameter, pairs)
  }
  const adding = addsToAnother(operation.parameters, given, query)
  if (adding !== undefined)
    return wrong(adding.parameter, `must not have the key \`${adding.key}\`, which is another parameter`)
  const path = pathOf(operation, base, given)
  const asked = [...at('query', given), ...Object.entries(query)]
  const url = new URL(`${base.origin}${path}${asked.length === 0 ? '' : `?${encoded(asked)}`}`)
  if (url.pathname !== path || url.origin !== base.origin) throw new Bug('an encoded path stays as it is')
  const cookies = at('cookie', given).map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const body = bodyOf(operation, Object.hasOwn(args, 'body') ? args['body'] : undefined)
  if (!body.ok) return body
  return {
    ok: true,
    request: {
      url,
      headers: {
        ...Object.fromEntries(at('header', given).map(([name, value]) => [name.toLowerCase(), value])),
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        ...(body.text === undefined || operation.body === undefined ? {} : { 'content-type': operation.body.type }),
      },
      ...(body.text === undefined ? {} : { body: body.text }),
    },
  }
}

const wrong = ({ arg }: Parameter, says: string): Built => ({ ok: false, says: `/${arg} ${says}` })

const at = (place: Parameter['in'], given: ReadonlyMap<Parameter, Pairs>): [string, string][] =>
  [...given].flatMap(([parameter, pairs]) =>
    parameter.in === place ? pairs.map(([name, value]) => [name, value] as [string, string]) : [],
  )

function faultIn(parameter: Parameter, pairs: Pairs): string | undefined {
  const texts = pairs.map(([, value]) => value)
  if (parameter.in === 'header' && !texts.every(isHeaderText)) return 'is not a valid header value'
  if (parameter.in !== 'path') return undefined
  if (texts.length === 0 || texts.includes('')) return 'must not be empty'
  return texts.some(leavesPath) ? 'must not contain `.` or `..` as a part of a path, nor control characters' : undefined
}

const isHeaderText = (text: string) => /^[\x20-\x7e]*$/.test(text) && text === text.trim()

/** Dots between slashes, even encoded: encoded once more they are harmless here, but not behind a careless proxy. */
const leavesPath = (text: string): boolean => mostDots(text) > 0 || hasControls(text) || hasControls(decodedPath(text))

// oxlint-disable-next-line no-control-regex -- these are looked for
const hasControls = (text: string | undefined): boolean => text === undefined || /[\0-\x1f\x7f]/.test(text)

function pathOf({ path }: Operation, base: URL, given: ReadonlyMap<Parameter, Pairs>): string {
  const values = new Map(at('path', given))
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Bug('a path parameter is required by the schema')
    return encode(value)
  })
  return `${base.pathname.replace(/\/$/, '')}${filled}`
}

/** All but letters, digits and `-_.~`. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
const encoded = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')

type Body = { readonly ok: true; readonly text?: string } | { readonly ok: false; readonly says: string }

function bodyOf({ body }: Operation, value: Json | undefined): Body {
  if (body === undefined || value === undefined) return { ok: true }
  if (body.as === 'json') return { ok: true, text: JSON.stringify(value) }
  const pairs = isJsonObject(value) ? Object.entries(value).map(([key, each]) => formPairs(key, each)) : [undefined]
  return pairs.every((each) => each !== undefined)
    ? { ok: true, text: encoded(pairs.flat()) }
    : { ok: false, says: '/body cannot be nested in a form' }
}

function formPairs(key: string, value: Json): [string, string][] | undefined {
  const items = Array.isArray(value) ? (value as Json[]) : [value]
  const texts = items.map((item) => (typeof item === 'object' && item !== null ? undefined : (item ?? '').toString()))
  return texts.every((text) => text !== undefined) ? texts.map((text) => [key, text]) : undefined
}

/**
 * The first parameter whose object brings a name that belongs to the operator or to another parameter of the same place, given or
 * not, or that another object brings too. A rule about that parameter would not see the value.
 */
function addsToAnother(
  parameters: readonly Parameter[],
  given: ReadonlyMap<Parameter, Pairs>,
  operatorsQuery: Readonly<Record<string, string>>,
): { readonly parameter: Parameter; readonly key: string } | undefined {
  const brought: { readonly by: Parameter; readonly name: string }[] = []
  for (const [parameter, pairs] of given) {
    for (const [key] of pairs) {
      if (key === parameter.name) continue
      const declared = parameters.filter((other) => other !== parameter && other.in === parameter.in)
      const taken = [
        ...declared.map(({ name }) => name),
        ...(parameter.in === 'query' ? Object.keys(operatorsQuery) : []),
        ...brought.flatMap(({ by, name }) => (by !== parameter && by.in === parameter.in ? [name] : [])),
      ]
      if (taken.some((name) => isSameName(key, name, parameter.name))) return { parameter, key }
      brought.push({ by: parameter, name: key })
    }
  }
  return undefined
}

/** `a[0]`, `a.b` and `A` set `a` in some frameworks. What stands below the parameter's own name is its own. */
function isSameName(key: string, other: string, own: string): boolean {
  const base = baseOf(key)
  return plain(key) === plain(other) || (base === baseOf(other) && base !== baseOf(own))
}

/** As frameworks read names: in any letter case, with `.`, spaces and `[` read as `_`. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/^[\s\p{C}]+|[\s\p{C}\]]+$/gu, '')
    .replaceAll(/[\s.[\]\p{C}]+/gu, '_')
const baseOf = (name: string): string => plain(name.split(/[.[\0]/).find((part) => part !== '') ?? '')

/** `name=value` pairs before any encoding; undefined if the style has no form for the value. */
type Pairs = readonly (readonly [string, string])[]

/** A parameter formatted by its style, according to the OpenAPI standard. */
function spellParameter({ name, style, explode }: Parameter, value: Json): Pairs | undefined {
  if (style === 'json') return [[name, JSON.stringify(value)]]
  if (style === 'deepObject') return isJsonObject(value) ? deep(name, value) : undefined
  if (Array.isArray(value)) {
    const items = (value as Json[]).map(scalar)
    if (!isWhole(items)) return undefined
    if (explode && style !== 'simple') return items.map((item) => [name, item] as const)
    return [[name, items.join(BETWEEN[style])]]
  }
  if (isJsonObject(value)) {
    const keys = Object.keys(value)
    const items = Object.values<Json>(value).map(scalar)
    if (!isWhole(items)) return undefined
    if (explode && style === 'form') return keys.map((key, at) => [key, items[at] ?? ''] as const)
    const joined = keys.map((key, at) => (explode ? `${key}=${items[at]}` : `${key}${BETWEEN[style]}${items[at]}`))
    return [[name, joined.join(BETWEEN[style])]]
  }
  const text = scalar(value)
  return text === undefined ? undefined : [[name, text]]
}

const BETWEEN = { simple: ',', form: ',', spaceDelimited: ' ', pipeDelimited: '|' } as const

function deep(name: string, value: { readonly [key: string]: Json }): Pairs | undefined {
  const items = Object.values<Json>(value).map(scalar)
  return isWhole(items) ? Object.keys(value).map((key, at) => [`${name}[${key}]`, items[at] ?? ''] as const) : undefined
}

const isWhole = (items: readonly (string | undefined)[]): items is string[] => items.every((item) => item !== undefined)

function scalar(value: Json): string | undefined {
  if (value === null) return ''
  return typeof value === 'object' ? undefined : String(value)
}
