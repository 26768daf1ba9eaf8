import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { operationsOf } from './operations.ts'

const BASE = 'https://api.example/v1'

function listed(
  root: JsonObject,
  version: '3.0' | '3.1' = '3.1',
  added = { headers: [] as string[], query: [] as string[] },
) {
  return operationsOf({ root, version }, { base: BASE, added, isWanted: () => true })
}
const one = (operation: JsonObject, path = '/x', more: JsonObject = {}, version: '3.0' | '3.1' = '3.1') =>
  listed({ paths: { [path]: { post: operation } }, ...more }, version)
const input = (operation: JsonObject, more: JsonObject = {}, version: '3.0' | '3.1' = '3.1') =>
  one(operation, '/x', more, version).operations[0]?.definition.inputSchema
const body = (schema: Json) => ({ requestBody: { content: { 'application/json': { schema } } } })

describe('the operations of an OpenAPI file', () => {
  test('are tools, named by `operationId` or otherwise by method and path', () => {
    const { operations } = listed({
      paths: {
        '/pets/{petId}': { get: { parameters: [{ name: 'petId', in: 'path' }] } },
        '/a': { put: { operationId: 'put a!' } },
      },
    })
    expect(operations.map(({ definition }) => definition.name)).toEqual(['get_pets_petId', 'put_a'])
  })

  test('have descriptions and hints that follow from their HTTP method', () => {
    const { operations } = listed({
      paths: {
        '/a': { get: { summary: 'Look' }, post: {}, put: {}, delete: { description: 'Gone', deprecated: true } },
      },
    })
    expect(operations.map(({ definition }) => [definition.description, definition.annotations])).toEqual([
      ['Look\n\n(GET /a)', { readOnlyHint: true }],
      ['(POST /a)', { readOnlyHint: false }],
      ['(PUT /a)', { readOnlyHint: false, idempotentHint: true }],
      ['Gone\n\nDeprecated.\n\n(DELETE /a)', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
    ])
  })

  test('take parameters of their own and of their path, the nearer ones first, and the body as `body`', () => {
    const { operations } = listed({
      paths: {
        '/a/{id}': {
          parameters: [
            { name: 'id', in: 'path', schema: { type: 'string' } },
            { name: 'q', in: 'query', schema: { type: 'string' } },
          ],
          post: {
            parameters: [
              { name: 'q', in: 'query', required: true, schema: { type: 'integer' }, description: 'how many' },
            ],
            requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
          },
        },
      },
    })
    expect(operations[0]?.definition.inputSchema).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, q: { type: 'integer', description: 'how many' }, body: { type: 'object' } },
      required: ['id', 'q', 'body'],
      additionalProperties: false,
    })
  })

  test('distinguish parameters with one name in two places', () => {
    const parameters = [
      { name: 'id', in: 'query' },
      { name: 'id', in: 'cookie' },
      { name: 'body', in: 'query' },
    ]
    expect(Object.keys(input({ parameters })?.['properties'] ?? {})).toEqual(['query_id', 'cookie_id', 'query_body'])
  })

  test('never show what the gate sends by itself', () => {
    const parameters = ['Authorization', 'Accept', 'Idempotency-Key', 'X-Key', 'X-Other'].map((name) => ({
      name,
      in: 'header',
    }))
    const root = { paths: { '/x': { get: { parameters: [...parameters, { name: 'token', in: 'query' }] } } } }
    const { operations } = listed(root, '3.1', { headers: ['x-key'], query: ['token'] })
    expect(operations[0]?.parameters.map(({ name }) => name)).toEqual(['X-Other'])
  })

  test('with circular references have a finite schema', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' }, n: { type: 'integer' } } }
    const schema = input(body({ $ref: '#/components/schemas/Tree' }), { components: { schemas: { Tree: tree } } })
    expect(schema?.['properties']).toEqual({ body: { $ref: '#/$defs/Tree' } })
    expect(schema?.['$defs']).toEqual({
      Tree: { type: 'object', properties: { next: { $ref: '#/$defs/Tree' }, n: { type: 'integer' } } },
    })
  })

  test('keep data that looks like a schema as data', () => {
    const schema = {
      type: 'object',
      default: { $ref: 'x' },
      properties: { $ref: { type: 'string', 'x-own': 1, example: 'e' } },
    }
    expect(input(body(schema))?.['properties']).toEqual({
      body: { type: 'object', default: { $ref: 'x' }, properties: { $ref: { type: 'string' } } },
    })
  })

  test('of 3.0 are converted to JSON Schema', () => {
    const schema = {
      type: 'object',
      required: ['id', 'n'],
      properties: {
        id: { type: 'string', readOnly: true },
        n: { type: 'number', nullable: true, minimum: 0, exclusiveMinimum: true },
        e: { type: 'string', nullable: true, enum: ['a'] },
      },
    }
    expect(input(body(schema), {}, '3.0')?.['properties']).toEqual({
      body: {
        type: 'object',
        required: ['n'],
        properties: {
          n: { type: ['number', 'null'], exclusiveMinimum: 0 },
          e: { type: ['string', 'null'], enum: ['a', null] },
        },
      },
    })
  })

  test('declare an output only if every success is the same JSON object', () => {
    const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
    const output = (responses: JsonObject) => one({ responses }).operations[0]?.definition.outputSchema
    expect(output({ 200: json({ type: 'object' }), 404: json({}) })).toEqual({ type: 'object' })
    for (const responses of [
      {},
      { 200: json({ type: 'array' }) },
      { 200: json({ type: 'object' }), 204: {} },
      { '2XX': json({ type: 'object' }) },
      { default: json({ type: 'object' }) },
      { 200: { content: { ...json({ type: 'object' }).content, 'text/csv': {} } } },
      { 200: json({ $ref: 'http://elsewhere/x' }) },
    ])
      expect(output(responses)).toBeUndefined()
  })

  const dropped: [string, JsonObject, string][] = [
    ['a reference out of the file', body({ $ref: 'other.yaml#/X' }), "a schema's `$ref` points outside the file"],
    ['a reference to an address', body({ items: { $ref: 'http://x/y' } }), "a schema's `$ref` points outside the file"],
    ['a reference to nothing', body({ $ref: '#/components/x' }), "a schema's `$ref` points to nothing"],
    ['a parameter from elsewhere', { parameters: [{ $ref: 'x.yaml' }] }, '`$ref` points outside the file'],
    [
      'a body that is no JSON',
      { requestBody: { content: { 'multipart/form-data': {} } } },
      'its body is multipart/form-data',
    ],
    [
      'a style that is not known',
      { parameters: [{ name: 'a', in: 'query', style: 'x' }] },
      'its parameter `a` has the style',
    ],
    [
      'a header that routes',
      { parameters: [{ name: 'X-Forwarded-For', in: 'header' }] },
      'its header `X-Forwarded-For`',
    ],
    ['a header that is none', { parameters: [{ name: 'a\r\nb', in: 'header' }] }, 'its header `a\r\nb` is not one'],
    ['a path that lacks a parameter', { parameters: [{ name: 'p', in: 'path' }] }, '`p` is missing in its path'],
    ['servers of its own', { servers: [{ url: 'https://other.example' }] }, 'it has its own `servers`'],
  ]
  test.each(dropped)('with %s are not offered, and the others still are', (_, operation, says) => {
    const { operations, dropped } = listed({ paths: { '/x': { post: operation, get: {} } } })
    expect(operations.map(({ method }) => method)).toEqual(['GET'])
    expect(dropped[0]?.says).toContain(says)
  })

  test.each(['/a?x=1', '/a#b', '/../b', 'a', '/a b', '//b/./c'])('with the path %s are not offered', (path) =>
    expect(one({}, path)).toMatchObject({
      operations: [],
      dropped: [{ says: 'its path cannot be sent as written' }],
    }),
  )
})
