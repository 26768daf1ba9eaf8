import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'

const MOST_LEAVES = 500

/**
 * The arguments whose values are neither in the prompt nor in the tool's schema: a model made them up or derived them, so a
 * person has to see them before they are used. Booleans count as a choice like those of an enum; every other value must be found.
 */
export function ungrounded(args: JsonObject, schema: JsonObject, prompt: string): string[] {
  const said = { text: plain(prompt), numbers: numbersIn(prompt), left: MOST_LEAVES }
  return Object.keys(args).filter((name) => !isGrounded(args[name] ?? null, propertyOf(schema, name), said))
}

type Said = { readonly text: string; readonly numbers: ReadonlySet<number>; left: number }

function isGrounded(value: Json, schema: JsonObject | undefined, said: Said): boolean {
  said.left -= 1
  if (said.left < 0) return false
  if (value === null || typeof value === 'boolean' || isOffered(value, schema)) return true
  if (typeof value === 'number') return said.numbers.has(value)
  if (typeof value === 'string') return isSaid(value, said)
  if (Array.isArray(value)) {
    const items = schema?.['items']
    return value.every((item: Json) => isGrounded(item, isJsonObject(items) ? items : undefined, said))
  }
  if (!isJsonObject(value)) return false
  return Object.entries(value).every(([name, inner]) => {
    const property = schema === undefined ? undefined : propertyOf(schema, name)
    return (property !== undefined || isSaid(name, said)) && isGrounded(inner, property, said)
  })
}

function propertyOf(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = schema['properties']
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isJsonObject(property) ? property : undefined
}

/** Among the schema's own choices, or its default. */
function isOffered(value: Json, schema: JsonObject | undefined): boolean {
  if (schema === undefined) return false
  const choices = Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : []
  const text = JSON.stringify(value)
  return [...choices, schema['const'], schema['default']].some(
    (choice) => choice !== undefined && JSON.stringify(choice) === text,
  )
}

const plain = (text: string) => ` ${text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()} `
const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character)

/** As whole words: `Hans` does not contain `an`. */
function isSaid(value: string, { text }: Said): boolean {
  const wanted = plain(value).trim()
  if (wanted === '') return true
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const cutsBefore = isWord(wanted[0]) && isWord(text[at - 1])
    const cutsAfter = isWord(wanted.at(-1)) && isWord(text[at + wanted.length])
    if (!cutsBefore && !cutsAfter) return true
  }
  return false
}

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set((text.match(/-?\d+(?:\.\d+)?/g) ?? []).flatMap((found) => [Number(found), Math.abs(Number(found))]))
