import { isJsonObject, type Json } from '../contract/json.ts'

/** A text somewhere in a JSON value: a string, a number as written, or the name of a field. */
export type TextLeaf = {
  readonly text: string
  /** Keys and indexes from the root; for the name of a field, including that name. */
  readonly path: readonly string[]
  readonly is: 'value' | 'name'
}

/** Every text in a JSON value. Not recursive, because a caller controls how deep the arguments are nested. */
export function textLeaves(root: Json, from: readonly string[] = []): TextLeaf[] {
  const leaves: TextLeaf[] = []
  const open: { value: Json; path: readonly string[] }[] = [{ value: root, path: from }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value === 'string' || typeof value === 'number') leaves.push({ text: String(value), path, is: 'value' })
    const children = childrenOf(value)
    for (const [key, child] of children) {
      const own = [...path, key]
      if (isJsonObject(value)) leaves.push({ text: key, path: own, is: 'name' })
      open.push({ value: child, path: own })
    }
  }
  return leaves
}

export function childrenOf(value: Json): readonly (readonly [string, Json])[] {
  if (Array.isArray(value)) return value.map((item: Json, index) => [String(index), item] as const)
  return isJsonObject(value) ? Object.entries(value) : []
}
