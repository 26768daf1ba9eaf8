import { isJsonObject, type Json } from '../contract/json.ts'
import { PLACEHOLDER, readPlaceholder, type Source } from '../contract/standard.ts'
import { isRedacted } from './is-redacted.ts'
import { valueAt } from './value-at.ts'

/** The sources of values. If a source does not exist yet, its placeholders stay open. */
export type Sources = { readonly [Name in Source]?: Json }

export type Filled = {
  readonly value: Json
  /** Placeholders whose source does not exist yet; they are kept as written. */
  readonly open: readonly string[]
  /** Placeholders whose source lacks the value. The result must not be used. */
  readonly missing: readonly string[]
}

/**
 * Fills the placeholders of a template. A string that is one placeholder becomes the value itself; inside a longer string only
 * strings, numbers and booleans are allowed.
 * INVARIANT: one pass. Filled-in values are never interpreted as templates (law in fill-template.test.ts).
 */
export function fillTemplate(template: Json, sources: Sources): Filled {
  const open = new Set<string>()
  const missing = new Set<string>()
  return { value: fill(template), open: [...open], missing: [...missing] }

  function fill(value: Json): Json {
    if (typeof value === 'string') return fillText(value)
    if (Array.isArray(value)) return value.map((item: Json) => fill(item))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
  }

  function fillText(text: string): Json {
    const [first] = text.matchAll(PLACEHOLDER)
    if (first?.[0] === text) {
      const value = lookUp(text, first[1] ?? '')
      return value === undefined ? text : value
    }
    return text.replaceAll(PLACEHOLDER, (token: string, inside: string) => {
      const value = lookUp(token, inside)
      if (value === undefined) return token
      if (typeof value !== 'object') return String(value)
      missing.add(token)
      return token
    })
  }

  function lookUp(token: string, inside: string): Json | undefined {
    const placeholder = readPlaceholder(inside)
    const source = placeholder === undefined ? undefined : sources[placeholder.source]
    if (placeholder !== undefined && source === undefined) {
      open.add(token)
      return undefined
    }
    const value = placeholder === undefined || source === undefined ? undefined : valueAt(source, placeholder.path)
    if (value !== undefined && !(placeholder?.source === 'result' && isRedacted(value))) return value
    missing.add(token)
    return undefined
  }
}
