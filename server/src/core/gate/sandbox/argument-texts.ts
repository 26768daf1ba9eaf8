import { isJsonObject, type Json } from '../../../contract/json.ts'
import { childrenOf } from '../text-leaves.ts'
import { kindOf, type FieldKind } from './field-names.ts'

/** A text in the arguments: a value with the kind of field that holds it, or the name of a field. */
export type ArgumentText = {
  readonly text: string
  readonly path: readonly string[]
  readonly kind: FieldKind | 'name'
}

export type ArgumentTexts = {
  readonly texts: readonly ArgumentText[]
  /** There are more than anybody looks at. */
  readonly too_many: boolean
}

/** More texts or longer ones would hold everybody else up. */
const MOST_TEXTS = 10_000
export const LONGEST_LIST = 65_536
const MOST_NESTED_JSON = 3

/** Whether a field holds text for somebody to read, store or run, and not a path or a list. */
export const isText = (kind: ArgumentText['kind']): boolean => kind === 'content' || kind === 'code'

type Open = { readonly value: Json; readonly path: readonly string[]; readonly key: string; readonly depth: number }

/** The texts of the arguments, also those of JSON that is written as a text. An item of a list has the name of the list. */
export function argumentTexts(args: Json): ArgumentTexts {
  const texts: ArgumentText[] = []
  const open: Open[] = [{ value: args, path: [], key: '', depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, key, depth } = next
    if (typeof value === 'string') {
      const kind = kindOf(key)
      texts.push({ text: value, path, kind })
      const nested = depth < MOST_NESTED_JSON && !isText(kind) ? nestedJson(value) : undefined
      if (nested !== undefined) open.push({ value: nested, path, key, depth: depth + 1 })
    }
    for (const [name, child] of childrenOf(value)) {
      const own = [...path, name]
      const isField = isJsonObject(value)
      if (isField) texts.push({ text: name, path: own, kind: 'name' })
      open.push({ value: child, path: own, key: isField ? name : key, depth })
      if (open.length + texts.length > MOST_TEXTS) return { texts, too_many: true }
    }
  }
  return { texts, too_many: false }
}

/** `{"path": "…"}` written as a text. In a field for text it is what is stored, and leads nowhere. */
function nestedJson(text: string): Json | undefined {
  if (text.length > LONGEST_LIST || !/^\s*[[{"]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
