import { isJsonObject, type Json } from '../../../contract/json.ts'
import { PLACEHOLDER, readPlaceholder, type Source } from '../../../contract/standard.ts'
import { isRedacted } from './is-redacted.ts'
import { valueAt } from './value-at.ts'

/** Where values come from. A source that is not there yet leaves its placeholders open. */
export type Sources = { readonly [Name in Source]?: Json }

export type Filled = {
  readonly value: Json
  /** Placeholders whose source is not there yet; they stand in the value as they were written. */
  readonly open: readonly string[]
  /** Placeholders whose source does not have the value. What they would have filled must not be used. */
  readonly missing: readonly string[]
}

/**
 * Fills the placeholders of a template. A text that is one placeholder becomes the value itself; inside a longer text only
 * texts, numbers and truth values can stand.
 * INVARIANT: one pass. What was filled in is never read as a template again (law in fill-template.test.ts).
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
