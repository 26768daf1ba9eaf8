import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import { ok, problem, refuse, type Problem, type Result } from '../contract/problems.ts'
import { dialectOf, newAjv, type Dialect } from './schema-dialect.ts'
import { BRIEF_STEPS, MAX_STEPS, objectsIn, withSteps, type Meter } from './schema-steps.ts'

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

function check(validate: ValidateFunction, meter: Meter, value: Json, most: number): Problem | undefined {
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
const metaMeter: Meter = { steps: 0, most: MAX_STEPS }

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
    const meter: Meter = { steps: 0, most: most_steps }
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
