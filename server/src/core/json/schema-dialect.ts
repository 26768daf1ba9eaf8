import { Ajv, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Json } from '../../contract/json.ts'
import { EQUALITY_KEYWORDS } from './equality-keywords.ts'
import { linearRegExp } from './linear-regexp.ts'
import { stepKeyword, type Meter } from './schema-steps.ts'

/** The versions of JSON Schema we read. A schema that names none is the newest, as MCP says. */
export type Dialect = '2020-12' | 'draft-07'

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
])

/** Undefined for a dialect we do not know: its keywords could mean something else than we think. */
export function dialectOf($schema: Json | undefined): Dialect | undefined {
  if ($schema === undefined) return '2020-12'
  if (typeof $schema !== 'string') return undefined
  return DIALECTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''))
}

const OPTIONS: Options = {
  // Without it an empty object satisfies `required: ["toString"]`.
  ownProperties: true,
  // Unknown keywords are annotations, as the standard says; a schema that is itself invalid is still refused.
  strict: false,
  // All failing paths at once: a model corrects them in one turn.
  allErrors: true,
  // Errors carry the schema they failed, from which we say what was expected.
  verbose: true,
  // Both dialects define `format` as an annotation.
  validateFormats: false,
  logger: false,
}

/**
 * Our configuration of Ajv. One instance per schema: an instance remembers every `$id` it has met, so with a shared one a
 * server's schema could break, or be reached from, another server's. Nothing is ever fetched: an unknown `$ref` is an error.
 * Patterns and references pay into the meter, which throws where a check would not end.
 */
export function newAjv(dialect: Dialect, meter: Meter, more: Options = {}): Ajv {
  // No backtracking on strings that an agent sends. Ajv wants a name beside the function, for code we do not generate.
  const regExp = Object.assign((pattern: string) => linearRegExp(pattern, meter), { code: 'linearRegExp' })
  const options = { ...OPTIONS, code: { regExp }, ...more }
  // In draft-07 a `$ref` stands alone: what is written beside it does not count.
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv({ ...options, ignoreKeywordsWithRef: true })
  ajv.addKeyword(stepKeyword(meter))
  for (const keyword of EQUALITY_KEYWORDS) ajv.removeKeyword(String(keyword.keyword)).addKeyword(keyword)
  return ajv
}
