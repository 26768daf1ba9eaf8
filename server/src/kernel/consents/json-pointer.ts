import { isJsonObject, type Json } from '../contract/json.ts'

const INDEX = /^(0|[1-9]\d{0,15})$/

/** The value at an RFC 6901 pointer; undefined if there is none. Only own properties count. */
export function valueAt(value: Json, pointer: string): Json | undefined {
  let here: Json | undefined = value
  for (const token of pointer.split('/').slice(1)) here = memberOf(here, unescape(token))
  return here
}

/** The pointer of a member of the value at `pointer`. */
export function below(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return INDEX.test(key) ? (value as readonly Json[])[Number(key)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const unescape = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~')
