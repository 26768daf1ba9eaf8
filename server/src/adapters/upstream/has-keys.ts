import type { JsonObject } from '../../kernel/contract/json.ts'

/** Whether an object has any key, without a list of them. */
export function hasKeys(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true
  return false
}
