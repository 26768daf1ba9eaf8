import { Ajv, type ErrorObject, type ValidateFunction, type Options, type FuncKeywordDefinition } from 'ajv'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import { ok, problem, refuse, type Problem, type Result } from '../contract/problems.ts'
import { BRIEF_STEPS, MAX_STEPS, objectsIn, withSteps, type SchemaBudget, stepKeyword } from './schema-steps.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { linearRegExp } from './linear-regexp.ts'
import { canonicalJson } from './canonical.ts'

/**
 * Compares JSON values by their canonical text. Ajv's own keywords walk both values, which takes quadratic time for `uniqueItems`
 * and throws on objects with a key named `valueOf` or `toString`.
 */
function textOf(value: Json): string | undefined {
  const text = canonicalJson(value)
  return text.ok ? text.value : undefined
}

const isScalar = (value: Json): boolean => value === null || typeof value !== 'object'

/** Tests whether a value equals one of `allowed`. Scalars need no text: a Set compares them as JSON does. */
function isOneOf(allowed: readonly Json[]): (value: Json) => boolean {
  const scalars = new Set(allowed.filter(isScalar))
  const texts = new Set(allowed.filter((value) => !isScalar(value)).map(textOf))
  return (value) => (isScalar(value) ? scalars.has(value) : texts.size > 0 && texts.has(textOf(value) ?? ''))
}

const areUnique = (items: readonly Json[]): boolean => new Set(items.map(textOf)).size === items.length

const EQUALITY_KEYWORDS: readonly FuncKeywordDefinition[] = [
  { keyword: 'enum', schemaType: 'array', errors: false, compile: (allowed: readonly Json[]) => isOneOf(allowed) },
  { keyword: 'const', errors: false, compile: (only: Json) => isOneOf([only]) },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    compile: (wanted: boolean) => (wanted ? areUnique : () => true),
  },
]

/** The supported versions of JSON Schema. A schema that names none is the newest, as MCP says. */
export type Dialect = '2020-12' | 'draft-07'

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
])

/** Undefined for an unknown dialect: its keywords could mean something else. */
function dialectOf($schema: Json | undefined): Dialect | undefined {
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
export function newAjv(dialect: Dialect, meter: SchemaBudget, more: Options = {}): Ajv {
  // No backtracking on strings that an agent sends. Ajv requires a name for the function, for generated code that we do not use.
  const regExp = Object.assign((pattern: string) => linearRegExp(pattern, meter), { code: 'linearRegExp' })
  const options = { ...OPTIONS, code: { regExp }, ...more }
  // In draft-07 the siblings of a `$ref` are ignored.
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv({ ...options, ignoreKeywordsWithRef: true })
  ajv.addKeyword(stepKeyword(meter))
  for (const keyword of EQUALITY_KEYWORDS) ajv.removeKeyword(String(keyword.keyword)).addKeyword(keyword)
  return ajv
}

/** A compiled schema: returns undefined if the value is valid, otherwise `call.args_invalid`. Takes at most `most_steps`. */
export type CompiledSchema = (value: Json, most_steps?: number) => Problem | undefined

const MAX_NAMED = 8
const MAX_LENGTH = 160
/**
 * A compiled schema takes some tens of kilobytes; beyond this many the least recently used one is dropped and compiled again when
 * needed.
 */
const MAX_KEPT = 1_000

const shorten = (text: string): string => (text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`)

const withArticle = (type: unknown): string => {
  if (type === 'null') return 'null'
  return `${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${String(type)}`
}
const count = (limit: unknown, noun: string): string => `${String(limit)} ${noun}${limit === 1 ? '' : 's'}`

/** What the schema expects at a path. Quotes the schema and the keys of the arguments, never their values. */
function expectation({ keyword, message, params, schema }: ErrorObject): string {
  switch (keyword) {
    case 'enum':
    case 'const':
      return `must be ${keyword === 'enum' ? 'one of ' : ''}${JSON.stringify(schema)}`
    case 'uniqueItems':
      return 'must not contain duplicate items'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `must not have \`${String(params['additionalProperty'] ?? params['unevaluatedProperty'])}\``
    case 'required':
      return `must have \`${String(params['missingProperty'])}\``
    case 'type':
      return `must be ${[params['type']].flat().map(withArticle).join(' or ')}`
    case 'minLength':
      return `must have at least ${count(params['limit'], 'character')}`
    case 'maxLength':
      return `must have at most ${count(params['limit'], 'character')}`
    case 'minItems':
      return `must have at least ${count(params['limit'], 'item')}`
    case 'maxItems':
      return `must have at most ${count(params['limit'], 'item')}`
    default:
      return message ?? keyword
  }
}

function describeErrors(errors: readonly ErrorObject[]): string {
  const lines = errors.map((error) => shorten(`${error.instancePath || '/'} ${expectation(error)}`))
  const distinct = [...new Set(lines)]
  const rest = distinct.length - MAX_NAMED
  return distinct.slice(0, MAX_NAMED).join('; ') + (rest > 0 ? `; and ${rest} more` : '')
}

function check(validate: ValidateFunction, meter: SchemaBudget, value: Json, most: number): Problem | undefined {
  Object.assign(meter, { steps: 0, most })
  try {
    if (validate(value)) return undefined
  } catch {
    // A schema that refers to itself endlessly overflows the stack, one that refers too often runs out of steps. Not validated
    // means not valid.
    validate.errors = null
    return problem('call.args_invalid', { schema: 'unusable', why: 'the schema cannot be evaluated' })
  }
  const paths = describeErrors(validate.errors ?? [])
  // The errors refer to the arguments; a compiled schema is long-lived and must not retain them.
  validate.errors = null
  return problem('call.args_invalid', { paths })
}

/** Checks schemas against their dialect's own schema. Shared, because it only reads them. */
const metaAjv = new Map<Dialect, Ajv>()
const metaMeter: SchemaBudget = { steps: 0, most: MAX_STEPS }

function isValidSchema(dialect: Dialect, schema: JsonObject): boolean {
  const meta = metaAjv.get(dialect) ?? newAjv(dialect, metaMeter)
  metaAjv.set(dialect, meta)
  metaMeter.steps = 0
  const { $schema: _, ...rest } = schema
  return meta.validateSchema(rest) === true
}

/** Compiles a tool's schema. An unusable one is rejected: arguments that cannot be checked are not sent. */
export function compileSchema(schema: JsonObject, most_steps = MAX_STEPS): Result<CompiledSchema> {
  const unusable = (why: string): Result<never> => refuse('call.args_invalid', { schema: 'unusable', why })
  const dialect = dialectOf(schema['$schema'])
  if (dialect === undefined) return unusable('`$schema` names a dialect other than 2020-12 and draft-07')
  const counted = withSteps(schema)
  if (counted === undefined) return unusable('the schema is too large to check')
  try {
    if (!isValidSchema(dialect, schema)) return unusable('the schema is not valid in its dialect')
    const meter: SchemaBudget = { steps: 0, most: most_steps }
    const validate = newAjv(dialect, meter, { validateSchema: false }).compile(counted)
    return ok((value, most = MAX_STEPS) => check(validate, meter, value, most))
  } catch {
    return unusable('the schema does not compile, or refers to one that is not part of it')
  }
}

type Kept = { readonly compiled: Result<CompiledSchema>; readonly objects: number }

/**
 * Only a cache. INVARIANT: `key` determines the schema (a definition hash and which of its schemas), so no result depends on the
 * cache.
 */
const kept = new Map<string, Kept>()
/** The last one of them that was used. Usually it is used again. */
let latest: { readonly key: string; readonly known: Kept } | undefined

function keptFor(schema: JsonObject, key: string, compile: () => Result<CompiledSchema>): Kept {
  if (latest?.key === key) return latest.known
  const known = kept.get(key) ?? { compiled: compile(), objects: objectsIn(schema)?.length ?? Number.POSITIVE_INFINITY }
  kept.delete(key)
  kept.set(key, known)
  latest = { key, known }
  const [oldest] = kept.keys()
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  return known
}

/** Validates a value against a schema that is compiled once per `key`. */
export function validateAgainst(schema: JsonObject, key: string, value: Json): Result<void> {
  const { compiled } = keptFor(schema, key, () => compileSchema(schema))
  return compiled.ok ? resultOf(compiled.value(value)) : compiled
}

/** Compiling takes about a fifth of a millisecond per object of a schema. */
const BRIEF_OBJECTS = 100
/** Every value may be compared with every object of the schema, and each failed comparison is an error to describe. */
const BRIEF_COMPARISONS = 20_000

/** The same, if it takes a few milliseconds at most. `takes_long`: validate it in a worker thread instead. */
export function validateBriefly(schema: JsonObject, key: string, value: Json): Result<void> | 'takes_long' {
  if (!kept.has(key) && objectsIn(schema, BRIEF_OBJECTS) === undefined) return 'takes_long'
  const { compiled, objects } = keptFor(schema, key, () => compileSchema(schema, BRIEF_STEPS))
  if (!compiled.ok || !hasAtMost(value, BRIEF_COMPARISONS / objects)) return 'takes_long'
  const failure = compiled.value(value, BRIEF_STEPS)
  return failure?.about['schema'] === 'unusable' ? 'takes_long' : resultOf(failure)
}

const resultOf = (failure: Problem | undefined): Result<void> =>
  failure === undefined ? ok(undefined) : { ok: false, problem: failure }

/** Whether a value consists of at most this many values; long texts count as several. */
function hasAtMost(value: Json, most: number): boolean {
  let left = most
  const open: Json[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    left -= typeof next === 'string' ? 1 + next.length / LONG_TEXT : 1
    if (left < 0) return false
    if (Array.isArray(next)) {
      if (next.length > left) return false
      open.push(...(next as readonly Json[]))
    } else if (isJsonObject(next)) {
      for (const key in next) {
        if (open.length > left) return false
        open.push(next[key] ?? null)
      }
    }
  }
  return true
}

const LONG_TEXT = 1_024
