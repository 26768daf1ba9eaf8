import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { decodedPath, mostDots } from '../../kernel/text/path-parts.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { Operation } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { spellParameter, type Pairs } from './spell-parameter.ts'
import { addsToAnother } from './exploded-names.ts'

export type Request = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}
export type Built = { readonly ok: true; readonly request: Request } | { readonly ok: false; readonly says: string }

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
