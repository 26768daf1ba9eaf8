import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import type { Parameter } from './parameters.ts'

/** `name=value` pairs before any encoding; undefined if the style has no form for the value. */
export type Pairs = readonly (readonly [string, string])[]

/** A parameter formatted by its style, according to the OpenAPI standard. */
export function spellParameter({ name, style, explode }: Parameter, value: Json): Pairs | undefined {
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
