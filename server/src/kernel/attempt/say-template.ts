import { isJsonObject, type Json } from '../contract/json.ts'
import { PLACEHOLDER, readPlaceholder } from '../contract/standard.ts'
import { fillTemplate, type Sources } from './fill-template.ts'

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
