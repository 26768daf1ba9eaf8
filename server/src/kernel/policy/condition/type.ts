import { CallerKind } from '../../contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'
import { RiskClass, ToolEffect } from '../../contract/tool.ts'

/** What is known about a value before any call. JSON has one kind of number, so a condition has one too. */
export type Type =
  | { readonly is: 'any' }
  | { readonly is: 'bool' }
  | { readonly is: 'number' }
  | { readonly is: 'null' }
  | { readonly is: 'string'; readonly words?: readonly string[] }
  | { readonly is: 'list'; readonly of: Type }
  /** `open`: there may be other keys, about which nothing is known. */
  | { readonly is: 'object'; readonly fields: Readonly<Record<string, Type>>; readonly open: boolean }

export const ANY: Type = { is: 'any' }
export const BOOL: Type = { is: 'bool' }
export const NUMBER: Type = { is: 'number' }
export const STRING: Type = { is: 'string' }
export const NULL: Type = { is: 'null' }

const words = (list: readonly string[]): Type => ({ is: 'string', words: list })
const closed = (fields: Readonly<Record<string, Type>>): Type => ({ is: 'object', fields, open: false })

/** Everything a condition can use besides the tool's own arguments. */
export const VARIABLES = {
  args: ANY,
  tool: closed({
    id: STRING,
    name: STRING,
    server: STRING,
    effects: { is: 'list', of: words(ToolEffect.options) },
    risk: words(RiskClass.options),
    tags: { is: 'list', of: STRING },
    sandboxed: BOOL,
  }),
  caller: closed({ id: STRING, user: STRING, kind: words(CallerKind.options), role: words(CallerKind.options) }),
  session: closed({ id: STRING, lane: STRING }),
  labels: { is: 'list', of: STRING },
  time: closed({
    now: NUMBER,
    date: STRING,
    clock: STRING,
    year: NUMBER,
    month: NUMBER,
    day: NUMBER,
    hour: NUMBER,
    minute: NUMBER,
    weekday: NUMBER,
  }),
} as const satisfies Readonly<Record<string, Type>>
export type Variable = keyof typeof VARIABLES

const SAYS_MORE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'not', 'patternProperties']
const DEEP = 16

/** What a tool's input schema guarantees. Whatever it leaves open is `any`, and checked per call. */
export function typeOfSchema(schema: Json | undefined, depth = 0): Type {
  if (!isJsonObject(schema) || depth > DEEP) return ANY
  const values = schema['enum'] ?? (schema['const'] === undefined ? undefined : [schema['const']])
  if (Array.isArray(values)) return values.every((value) => typeof value === 'string') ? words(values) : ANY
  const { type } = schema
  if (type === 'object') return objectType(schema, depth)
  if (type === 'array') {
    return { is: 'list', of: schema['prefixItems'] === undefined ? typeOfSchema(schema['items'], depth + 1) : ANY }
  }
  return typeof type === 'string' && Object.hasOwn(SIMPLE, type) ? (SIMPLE[type] ?? ANY) : ANY
}

const SIMPLE: Readonly<Record<string, Type>> = { string: STRING, number: NUMBER, integer: NUMBER, boolean: BOOL }

function objectType(schema: JsonObject, depth: number): Type {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return { is: 'object', fields: {}, open: schema['additionalProperties'] !== false }
  const extra = schema['additionalProperties']
  // If a schema names its properties and does not mention others, another name in a rule is a typo.
  const open = extra === true || isJsonObject(extra) || SAYS_MORE.some((word) => Object.hasOwn(schema, word))
  const fields = Object.entries(properties).map(([name, inner]) => [name, typeOfSchema(inner, depth + 1)] as const)
  return { is: 'object', fields: Object.fromEntries(fields), open }
}

const IN_WORDS: Readonly<Record<Type['is'], string>> = {
  any: 'anything',
  bool: 'true or false',
  number: 'a number',
  null: 'null',
  string: 'text',
  list: 'a list',
  object: 'an object',
}

/** For messages. */
export const spellType = (type: Type): string => IN_WORDS[type.is]
