import { isJsonObject, type Json } from '../contract/json.ts'

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
