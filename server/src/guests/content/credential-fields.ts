import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { nameSays, wordsOf } from './secret-name.ts'

/**
 * Whether the field at a pointer is meant to take a credential: the operator declared it, or the tool's schema does, with the
 * format `password` (or `writeOnly`) on a field with a matching name.
 */
export function isCredentialField(pointer: string, schema: JsonObject, declared: readonly string[]): boolean {
  const keys = pointer.split('/').slice(1)
  if (declared.some((one) => isLike(one.split('/').slice(1), keys))) return true
  const field = schemaAt(schema, keys)
  if (!isJsonObject(field)) return false
  const isDeclared = field['format'] === 'password' || field['writeOnly'] === true
  return isDeclared && nameSays(wordsOf(unescape(keys.at(-1) ?? ''))) !== 'nothing'
}

const isLike = (pattern: readonly string[], keys: readonly string[]): boolean =>
  pattern.length === keys.length && pattern.every((part, at) => part === '*' || part === keys[at])

function schemaAt(schema: JsonObject, keys: readonly string[]): Json | undefined {
  let here: Json | undefined = schema
  for (const key of keys) {
    if (!isJsonObject(here)) return undefined
    const properties: Json | undefined = here['properties']
    const name = unescape(key)
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) here = properties[name]
    else here = /^\d+$/.test(key) ? here['items'] : undefined
  }
  return here
}

const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')
