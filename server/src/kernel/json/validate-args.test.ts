import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../contract/json.ts'
import { compileSchema, validateAgainst } from './validate-args.ts'

const issue: JsonObject = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1 },
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' }, uniqueItems: true },
  },
  required: ['title'],
  additionalProperties: false,
}

function aboutOf(schema: JsonObject, value: Json): Readonly<Record<string, string>> | undefined {
  const usable = compileSchema(schema)
  if (!usable.ok) return usable.problem.about
  return usable.value(value)?.about
}

describe('validating arguments', () => {
  test('valid arguments pass', () => {
    expect(validateAgainst(issue, 'issue', { title: 'a', state: 'open', labels: ['x', 'y'] })).toEqual({
      ok: true,
      value: undefined,
    })
  })

  test('every failing path is named with what is expected there', () => {
    const result = validateAgainst(issue, 'issue', { title: '', state: 'ajar', labels: ['x', 'x'], extra: 1 })
    expect(result).toEqual({
      ok: false,
      problem: {
        code: 'call.args_invalid',
        about: {
          paths:
            '/ must not have `extra`; /title must have at least 1 character; ' +
            '/state must be one of ["open","closed"]; /labels must not contain duplicate items',
        },
      },
    })
  })

  test('a value never appears in the problem', () => {
    const about = aboutOf(
      { properties: { a: { type: 'number' }, b: { pattern: '^x$' }, c: { const: 1 }, d: { maximum: 3 } } },
      { a: 'SECRET', b: 'SECRET', c: 'SECRET', d: 424242 },
    )
    expect(about?.['paths']).toMatch(/\/a .*\/b .*\/c .*\/d /)
    expect(about?.['paths']).not.toMatch(/SECRET|424242/)
  })

  test('a thousand failing items are counted, not listed', () => {
    const about = aboutOf(
      { items: { type: 'string' } },
      Array.from({ length: 1000 }, () => 1),
    )
    expect(about?.['paths']).toMatch(/; and 992 more$/)
    expect(about?.['paths']?.length).toBeLessThan(2_000)
  })

  test('properties of Object.prototype do not satisfy `required`', () => {
    expect(aboutOf({ required: ['toString'] }, {})).toBeDefined()
    expect(aboutOf({ required: ['__proto__'] }, {})).toBeDefined()
  })

  test('two schemas with the same ids do not affect each other', () => {
    const first = { $id: 'https://a.test/s', $defs: { x: { $id: 'https://a.test/x', type: 'string' } } }
    const second = {
      $id: 'https://a.test/s',
      $defs: { x: { $id: 'https://a.test/x', type: 'number' } },
      $ref: 'https://a.test/x',
    }
    expect(compileSchema(first).ok).toBe(true)
    expect(aboutOf(second, 1)).toBeUndefined()
    expect(aboutOf(second, 'a')).toBeDefined()
    expect(aboutOf({ $ref: 'https://a.test/x' }, 'a')).toMatchObject({ schema: 'unusable' })
  })

  test('a schema that cannot be used is rejected', () => {
    const unusable: JsonObject[] = [
      { $ref: 'https://elsewhere.test/schema' },
      { $ref: '#/$defs/absent' },
      { type: 'strnig' },
      { pattern: '(' },
      { $schema: 'http://json-schema.org/draft-03/schema#' },
      { $schema: 7 },
    ]
    expect(unusable.filter((schema) => compileSchema(schema).ok)).toEqual([])
  })

  test('a schema that refers to itself works for any finite value', () => {
    const tree: JsonObject = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }
    expect(aboutOf(tree, { next: { next: {} } })).toBeUndefined()
    expect(aboutOf(tree, { next: { next: 1 } })).toEqual({ paths: '/next/next must be an object' })
  })

  test('a schema that refers to itself endlessly is rejected instead of throwing', () => {
    expect(
      aboutOf({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, 1),
    ).toMatchObject({
      schema: 'unusable',
    })
  })

  test('a careless pattern does not hang on a hostile string', () => {
    const careless: JsonObject = {
      properties: { a: { pattern: '^(\\w+\\s?)*$' } },
      patternProperties: { '^(a|a)+$': {} },
    }
    const about = aboutOf(
      { ...careless, additionalProperties: false },
      { a: `${'x'.repeat(5_000)}!`, ['a'.repeat(5_000)]: 1 },
    )
    expect(about).toEqual({ paths: '/a must match pattern "^(\\w+\\s?)*$"' })
  })

  test('two patterns of one schema are not confused', () => {
    const both: JsonObject = { properties: { a: { pattern: '^x$' }, b: { pattern: '^y$' } } }
    expect(aboutOf(both, { a: 'x', b: 'y' })).toBeUndefined()
    expect(aboutOf(both, { a: 'y', b: 'x' })?.['paths']).toMatch(/\/a .*; \/b /)
  })

  test('draft-07 keywords mean what draft-07 says', () => {
    const tuple: JsonObject = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }
    expect(aboutOf(tuple, ['a', 1])).toBeUndefined()
    expect(aboutOf(tuple, [1])).toBeDefined()
  })

  test('values are equal if their canonical texts are, whatever their keys are called', () => {
    const odd = { valueOf: 1, toString: 2, constructor: 3 }
    expect(aboutOf({ const: odd }, { constructor: 3, toString: 2, valueOf: 1 })).toBeUndefined()
    expect(aboutOf({ const: odd }, { ...odd, valueOf: 2 })).toBeDefined()
    expect(aboutOf({ enum: [[1], null, 0] }, [1.0])).toBeUndefined()
    expect(aboutOf({ enum: [[1], null, 0] }, -0)).toBeUndefined()
    expect(aboutOf({ enum: [[1], null, 0] }, false)).toBeDefined()
    expect(
      aboutOf({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toBeDefined()
    expect(aboutOf({ uniqueItems: true }, [1, '1', true, [1], { 1: 1 }])).toBeUndefined()
  })
})

describe('a small schema with exponential work', () => {
  /** Forty definitions, each of which refers twice to the previous one. */
  const doubling = (refer: (to: number) => JsonObject, define: (at: number, body: JsonObject) => JsonObject) =>
    Object.fromEntries(
      Array.from({ length: 41 }, (_, at) => [
        `a${at}`,
        define(at, at === 0 ? { type: 'string' } : { allOf: [refer(at - 1), refer(at - 1)] }),
      ]),
    )
  const asIs = (_: number, body: JsonObject): JsonObject => body
  const pointer = (to: number): JsonObject => ({ $ref: `#/$defs/a${to}` })
  const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
  const recursive = { properties: { n: { $ref: '#/$defs/node' } } }
  const deep = (levels: number): Json => (levels === 0 ? {} : { n: deep(levels - 1) })

  test.each<[string, JsonObject, Json]>([
    ['by pointers', { ...pointer(40), $defs: doubling(pointer, asIs) }, 'x'],
    [
      'by pointers that are spelled otherwise',
      { $ref: '#/%24defs/a40', $defs: doubling((to) => ({ $ref: `#/%24defs/a${to}` }), asIs) },
      'x',
    ],
    [
      'from places where no schema should be',
      { $ref: '#/x-shelf/a40', 'x-shelf': doubling((to) => ({ $ref: `#/x-shelf/a${to}` }), asIs) },
      'x',
    ],
    [
      'by anchors',
      {
        $ref: '#n40',
        $defs: doubling(
          (to) => ({ $ref: `#n${to}` }),
          (at, body) => ({ $anchor: `n${at}`, ...body }),
        ),
      },
      'x',
    ],
    [
      'by dynamic anchors',
      {
        $dynamicRef: '#n40',
        $defs: doubling(
          (to) => ({ $dynamicRef: `#n${to}` }),
          (at, body) => ({ $dynamicAnchor: `n${at}`, ...body }),
        ),
      },
      'x',
    ],
    [
      'by addresses of its own',
      {
        $id: 'http://example.com/root.json',
        $ref: 'a40.json',
        $defs: doubling(
          (to) => ({ $ref: `a${to}.json` }),
          (at, body) => ({ $id: `http://example.com/a${at}.json`, ...body }),
        ),
      },
      'x',
    ],
    ['in the older dialect', { $schema: DRAFT_07, ...pointer(40), $defs: doubling(pointer, asIs) }, 'x'],
    [
      'at each level of the arguments',
      { $ref: '#/$defs/node', $defs: { node: { allOf: [recursive, recursive] } } },
      deep(60),
    ],
  ])('%s: the arguments are not validated, and so not accepted', (_, schema, value) => {
    expect(aboutOf(schema, value)).toEqual({ schema: 'unusable', why: 'the schema cannot be evaluated' })
  })

  test('a tree of ten thousand nodes in a schema that refers to itself is checked', () => {
    const tree = (levels: number): Json =>
      levels === 0 ? { name: 'leaf' } : { name: 'x', children: Array.from({ length: 10 }, () => tree(levels - 1)) }
    const schema: JsonObject = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name'],
        },
      },
    }
    expect(aboutOf(schema, tree(4))).toBeUndefined()
    expect(aboutOf(schema, { name: 'x', children: [{}] })?.['paths']).toContain('/children/0')
  })

  test('a schema with too many parts is rejected before it is compiled', () => {
    const properties = Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`p${at}`, { type: 'string' }]))
    expect(aboutOf({ properties }, {})).toMatchObject({ why: 'the schema is too large to check' })
  })

  test('all patterns share one step limit', () => {
    const patternProperties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`^(a+)+${at}$`, true]))
    const args = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${'a'.repeat(100)}${at}`, 1]))
    expect(aboutOf({ patternProperties }, args)).toMatchObject({ why: 'the schema cannot be evaluated' })
  })
})
