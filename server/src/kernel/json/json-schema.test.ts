import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Ajv, AnySchema } from 'ajv'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../contract/json.ts'
import { newAjv, type Dialect, compileSchema } from './validate-args.ts'
import { MAX_STEPS } from './schema-steps.ts'
import { describeVectors, jsonOf, rowsOf } from './conformance-data.suite.ts'

type Vector = { file: string; group: string; schema: AnySchema; test: string; data: Json; valid: boolean }

/** The suites leave `$schema` out where they can; tools that mean draft-07 have to say so. */
type Suite = { set: string; dialect: Dialect; $schema: string; required: number }

const SETS: readonly Suite[] = [
  { set: 'draft2020-12', dialect: '2020-12', $schema: 'https://json-schema.org/draft/2020-12/schema', required: 1299 },
  { set: 'draft7', dialect: 'draft-07', $schema: 'http://json-schema.org/draft-07/schema#', required: 927 },
]
const golden = resolve(import.meta.dirname, '../../../test/goldens/json-schema-known-failures.txt')

/** Our own configuration with the suite's remote schemas put in by hand: the product has none, and nothing is ever fetched. */
function withRemotes(dialect: Dialect, set: string): Ajv {
  const ajv = newAjv(dialect, { steps: 0, most: MAX_STEPS }, { validateSchema: false })
  const ofADraft = /\/draft[^/]*\//
  for (const [uri, schema] of Object.entries(jsonOf('json-schema/remotes.json') as Record<string, AnySchema>)) {
    if (!ofADraft.test(uri) || uri.includes(`/${set}/`)) ajv.addSchema(schema, uri)
  }
  return ajv
}

/**
 * A self-contained schema is compiled as in the product; booleans and schemas with remote references use the same configuration.
 */
function verdictOf({ set, dialect, $schema }: Suite, { schema, data }: Vector): 'accepts' | 'refuses' | 'unusable' {
  const standsAlone = typeof schema === 'object' && !JSON.stringify(schema).includes('//localhost:1234/')
  if (standsAlone) {
    const compiled = compileSchema({ $schema, ...(schema as JsonObject) })
    if (!compiled.ok) return 'unusable'
    const failure = compiled.value(data)
    if (failure?.about['schema'] === 'unusable') return 'unusable'
    return failure === undefined ? 'accepts' : 'refuses'
  }
  try {
    return withRemotes(dialect, set).compile(schema)(data) === true ? 'accepts' : 'refuses'
  } catch {
    return 'unusable'
  }
}

/** A line of the list of known failures, or undefined for a test that passes. */
function failureOf(suite: Suite, vector: Vector): string | undefined {
  const says = verdictOf(suite, vector)
  if (says === (vector.valid ? 'accepts' : 'refuses')) return undefined
  return [suite.set, vector.file, vector.group, vector.test, says].join(' | ')
}

describeVectors('the JSON Schema suites', () => {
  const known = readFileSync(golden, 'utf8').split('\n')

  test.each(SETS)('$set: the failing required tests are exactly the known ones', (suite) => {
    const { set, required } = suite
    const all = rowsOf(`json-schema/${set}.jsonl.gz`) as readonly Vector[]
    const vectors = all.filter(({ file }) => !file.startsWith('optional/'))
    expect(vectors).toHaveLength(required)
    const failing = vectors.map((vector) => failureOf(suite, vector)).filter((line) => line !== undefined)
    console.log(`${set}: ${required - failing.length} of ${required} required tests pass`)
    // A test that now passes is removed from the list; nothing is ever added to it.
    expect(failing.toSorted()).toEqual(known.filter((line) => line.startsWith(`${set} | `)).toSorted())
  })
})
