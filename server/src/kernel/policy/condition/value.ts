import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'

/** Why a condition has no result. An ordinary value, so that evaluation never throws. */
export class Failure {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
export type Value = Json | Failure

type Kind = 'null' | 'bool' | 'number' | 'string' | 'list' | 'object'

export function kindOf(value: Json): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  const type = typeof value
  if (type === 'boolean') return 'bool'
  return type === 'number' || type === 'string' ? type : 'object'
}

/**
 * Whether two values are equal; undefined if their types differ. `"100" == 100` has no result: if it were false, writing a number
 * as a string would bypass a rule. Only null can be compared with everything.
 */
export function isSame(a: Json, b: Json): boolean | undefined {
  if (a === b) return true
  if (typeof a === typeof b && typeof a !== 'object') return false
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return a === null || b === null ? false : undefined
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && everySame(a, b)
  if (isJsonObject(a) && isJsonObject(b)) return sameObjects(a, b)
  return false
}

function everySame(a: readonly Json[], b: readonly Json[]): boolean | undefined {
  let unsure = false
  for (const [at, item] of a.entries()) {
    const same = isSame(item, b[at] ?? null)
    if (same === false) return false
    if (same === undefined) unsure = true
  }
  return unsure ? undefined : true
}

function sameObjects(a: JsonObject, b: JsonObject): boolean | undefined {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length || !keys.every((key) => Object.hasOwn(b, key))) return false
  return everySame(
    keys.map((key) => a[key] ?? null),
    keys.map((key) => b[key] ?? null),
  )
}

/** Whether a list contains a value; undefined if it contains only values of another type. */
export function isIn(value: Json, list: readonly Json[]): boolean | undefined {
  let unsure = false
  for (const item of list) {
    const same = isSame(value, item)
    if (same === true) return true
    if (same === undefined) unsure = true
  }
  return unsure ? undefined : false
}
