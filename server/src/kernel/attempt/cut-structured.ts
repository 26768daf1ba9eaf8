import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'

/** How much of a cut string is kept at most; less if there are many. */
const LONGEST_KEPT = 1_000
const SHORTEST_KEPT = 40

/**
 * Structured content with its longest strings cut so that it fits into `most` characters. A cut string ends with the mark.
 * Undefined if even the shortest cuts leave too much.
 */
export function cutStructured(content: Json, most: number, markOf: (size: number) => string): Json | undefined {
  for (let kept = LONGEST_KEPT; kept >= SHORTEST_KEPT; kept = Math.floor(kept / 2)) {
    const cut = mapStrings(content, (text) => {
      const mark = markOf(text.length)
      return text.length <= kept + mark.length ? text : `${wholeCharacters(text.slice(0, kept))}${mark}`
    })
    if (JSON.stringify(cut).length <= most) return cut
  }
  return undefined
}

/** Drops half of a surrogate pair at the end. */
const wholeCharacters = (text: string) => text.replace(/[\uD800-\uDBFF]$/, '')

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change))
  if (!isJsonObject(value)) return value
  const changed: JsonObject = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]),
  )
  return changed
}

/** Whether a text only repeats the structured content: as its JSON, or as one of its strings. */
export function repeatsStructured(text: string, content: Json): boolean {
  if (hasString(content, text)) return true
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(content)
  } catch {
    return false
  }
}

function hasString(value: Json, text: string): boolean {
  if (typeof value === 'string') return value === text
  if (Array.isArray(value)) return value.some((item) => hasString(item, text))
  return isJsonObject(value) && Object.values(value).some((item) => hasString(item, text))
}
