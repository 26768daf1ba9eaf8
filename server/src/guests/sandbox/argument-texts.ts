import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { fieldTypeOf, type FieldType } from '../../kernel/text/field-names.ts'

/** A string in the arguments: a value with the kind of its field, or the name of a field. */
export type ArgumentText = {
  readonly text: string
  readonly path: readonly string[]
  readonly kind: FieldType | 'name'
}

export type ArgumentTexts = {
  readonly texts: readonly ArgumentText[]
  /** There are more than the gate checks. */
  readonly too_many: boolean
}

/** More or longer strings would block the event loop for too long. */
const MOST_TEXTS = 10_000
export const LONGEST_LIST = 65_536
const MOST_NESTED_JSON = 3

/** Whether a field holds text to read, store or run, rather than a path or a list. */
export const isText = (kind: ArgumentText['kind']): boolean => kind === 'content' || kind === 'code'

type Open = { readonly value: Json; readonly path: readonly string[]; readonly key: string; readonly depth: number }

/** The strings in the arguments, including those in JSON written as a string. A list item has the name of the list. */
export function argumentTexts(args: Json): ArgumentTexts {
  const texts: ArgumentText[] = []
  const open: Open[] = [{ value: args, path: [], key: '', depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, key, depth } = next
    if (typeof value === 'string') {
      const kind = fieldTypeOf(key)
      texts.push({ text: value, path, kind })
      const nested = depth < MOST_NESTED_JSON && !isText(kind) ? nestedJson(value) : undefined
      if (nested !== undefined) open.push({ value: nested, path, key, depth: depth + 1 })
    }
    if (typeof value !== 'object' || value === null) continue
    const isField = isJsonObject(value)
    for (const name of Object.keys(value)) {
      const own = [...path, name]
      if (isField) texts.push({ text: name, path: own, kind: 'name' })
      const child = (value as Readonly<Record<string, Json>>)[name] ?? null
      open.push({ value: child, path: own, key: isField ? name : key, depth })
      if (open.length + texts.length > MOST_TEXTS) return { texts, too_many: true }
    }
  }
  return { texts, too_many: false }
}

/** `{"path": "…"}` written as a string. In a field for text it is only content, so it is not parsed. */
function nestedJson(text: string): Json | undefined {
  if (text.length > LONGEST_LIST || !/^\s*[[{"]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
