import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Json } from '../contract/json.ts'
import { EQUALITY_KEYWORDS } from './equality-keywords.ts'
import { linearRegExp } from './linear-regexp.ts'
import { stepKeyword, type Meter } from './schema-steps.ts'

/** The supported versions of JSON Schema. A schema that names none is the newest, as MCP says. */
export type Dialect = '2020-12' | 'draft-07'

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
])

/** Undefined for an unknown dialect: its keywords could mean something else. */
export function dialectOf($schema: Json | undefined): Dialect | undefined {
  if ($schema === undefined) return '2020-12'
  if (typeof $schema !== 'string') return undefined
  return DIALECTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''))
}

const OPTIONS: Options = {
  // Without it an empty object satisfies `required: ["toString"]`.
  ownProperties: true,
  // Unknown keywords are annotations, as the standard says; an invalid schema is still rejected.
  strict: false,
  // Reports all failing paths at once, so that a model can correct them in one turn.
  allErrors: true,
  // Errors carry the schema they failed, from which the expectation is described.
  verbose: true,
  // Both dialects define `format` as an annotation.
  validateFormats: false,
  logger: false,
}

/**
 * Our configuration of Ajv. One instance per schema: an instance remembers every `$id`, so with a shared one a server's schema
 * could break, or be reached from, another server's. Nothing is ever fetched: an unknown `$ref` is an error. Patterns and
 * references count steps on the meter, which throws if a check would take too long.
 */
export function newAjv(dialect: Dialect, meter: Meter, more: Options = {}): Ajv {
  // No backtracking on strings that an agent sends. Ajv requires a name for the function, for generated code that we do not use.
  const regExp = Object.assign((pattern: string) => linearRegExp(pattern, meter), { code: 'linearRegExp' })
  const options = { ...OPTIONS, code: { regExp }, ...more }
  // In draft-07 the siblings of a `$ref` are ignored.
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv({ ...options, ignoreKeywordsWithRef: true })
  ajv.addKeyword(stepKeyword(meter))
  for (const keyword of EQUALITY_KEYWORDS) ajv.removeKeyword(String(keyword.keyword)).addKeyword(keyword)
  return ajv
}
