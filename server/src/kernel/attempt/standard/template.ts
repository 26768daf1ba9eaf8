import { isJsonObject, type Json } from '../../contract/json.ts'
import { PLACEHOLDER, readPlaceholder, type TemplateSource } from '../../contract/standard.ts'

/** The sources of values. If a source does not exist yet, its placeholders stay open. */
export type Sources = { readonly [Name in TemplateSource]?: Json }

export type FilledTemplate = {
  readonly value: Json
  /** Placeholders whose source does not exist yet; they are kept as written. */
  readonly open: readonly string[]
  /** Placeholders whose source lacks the value. The result must not be used. */
  readonly missing: readonly string[]
}

/**
 * Fills the placeholders of a template. A string that is one placeholder becomes the value itself; inside a longer string only
 * strings, numbers and booleans are allowed.
 * INVARIANT: one pass. Filled-in values are never interpreted as templates (law in template.test.ts).
 */
export function fillTemplate(template: Json, sources: Sources): FilledTemplate {
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

const OWNERS = { args: "this call's", result: "the result's" } as const

/** A placeholder for people: `this call's `to``. It shows no value. */
export function sayPlaceholder(token: string): string {
  const [, inside = ''] = new RegExp(PLACEHOLDER.source, 's').exec(token) ?? []
  const placeholder = readPlaceholder(inside)
  return placeholder === undefined ? 'an unknown value' : `${OWNERS[placeholder.source]} \`${placeholder.path}\``
}

/** A template for people: as JSON, with words in place of the placeholders whose source does not exist yet. */
export function sayTemplate(template: Json, sources: Sources = {}): string {
  if (Array.isArray(template)) return `[${template.map((item: Json) => sayTemplate(item, sources)).join(',')}]`
  if (isJsonObject(template))
    return `{${Object.entries(template)
      .map(([key, value]) => `${JSON.stringify(key)}:${sayTemplate(value, sources)}`)
      .join(',')}}`
  return typeof template === 'string' ? sayText(template, sources) : JSON.stringify(template)
}

/** Only the template's own placeholders are replaced: a value that is filled in may look like one. */
function sayText(text: string, sources: Sources): string {
  const [first] = text.matchAll(PLACEHOLDER)
  if (first?.[0] === text) {
    const { value, open } = fillTemplate(text, sources)
    return open.length > 0 ? sayPlaceholder(text) : JSON.stringify(value)
  }
  const pieces = text.replaceAll(PLACEHOLDER, (token: string) => {
    const { value, open } = fillTemplate(token, sources)
    if (open.length > 0) return `⟨${sayPlaceholder(token)}⟩`
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
  return JSON.stringify(pieces)
}

const POSITION = /^(0|[1-9]\d{0,8})$/

/** The value at a dotted path, or undefined. Only own properties are found, never the prototype's. */
export function valueAt(root: Json, path: string): Json | undefined {
  let value: Json | undefined = root
  for (const step of path.split('.')) {
    value = childOf(value, step)
    if (value === undefined) return undefined
  }
  return value
}

function childOf(value: Json, step: string): Json | undefined {
  if (Array.isArray(value)) return POSITION.test(step) ? (value as readonly Json[])[Number(step)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

const MARK = '[REDACTED_'

/** Whether something was redacted in a value: then it is not the tool's original answer, and must not be relied on. */
export function isRedacted(value: Json): boolean {
  return JSON.stringify(value).includes(MARK)
}
