import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { buildRequest } from './build-request.ts'
import { operationsOf } from './operations.ts'

const base = new URL('https://api.example/v1/')

function operation(parameters: readonly JsonObject[], path = '/x', more: JsonObject = {}) {
  const root = { paths: { [path]: { post: { parameters, ...more } } } }
  const { operations, dropped } = operationsOf(
    { root, version: '3.1' },
    { base: base.href, added: { headers: [], query: ['key'] }, isWanted: () => true },
  )
  const [found] = operations
  if (found === undefined) throw new Error(JSON.stringify(dropped))
  return found
}
const built = (parameter: JsonObject & { readonly name: string }, value: Json, path = '/x') => {
  const made = buildRequest(operation([parameter], path), base, { key: 's3cret' }, { [parameter.name]: value })
  return made.ok ? made.request : made.says
}
const url = (parameter: JsonObject & { readonly name: string }, value: Json, path?: string) => {
  const request = built(parameter, value, path)
  return typeof request === 'string'
    ? request
    : request.url.href.replace('https://api.example/v1', '').replace(/[?&]key=s3cret$/, '')
}
const query = (more: JsonObject = {}) => ({ name: 'q', in: 'query', ...more })

describe('a request', () => {
  const spelled: [ReturnType<typeof query>, Json, string][] = [
    [query(), 'a&b=c#d', '/x?q=a%26b%3Dc%23d'],
    [query(), ['a', 'b,c'], '/x?q=a&q=b%2Cc'],
    [query({ explode: false }), ['a', 'b'], '/x?q=a%2Cb'],
    [query({ style: 'pipeDelimited', explode: false }), ['a', 'b'], '/x?q=a%7Cb'],
    [query({ style: 'spaceDelimited', explode: false }), ['a', 'b'], '/x?q=a%20b'],
    [query({ style: 'deepObject' }), { a: 1, b: true }, '/x?q%5Ba%5D=1&q%5Bb%5D=true'],
    [query(), { a: 1, b: 2 }, '/x?a=1&b=2'],
    [query({ explode: false }), { a: 1, b: 2 }, '/x?q=a%2C1%2Cb%2C2'],
    [query({ content: { 'application/json': {} } }), { a: [1] }, '/x?q=%7B%22a%22%3A%5B1%5D%7D'],
    [query(), { key: 'mine' }, '/q must not have the key `key`, which is another parameter'],
    [query(), { KEY: 'mine' }, '/q must not have the key `KEY`, which is another parameter'],
    [query(), { a: { b: 1 } }, '/q cannot be nested'],
  ]
  test.each(spelled)('%j of %j: %s', (parameter, value, expected) => expect(url(parameter, value)).toBe(expected))

  const path: [Json, string][] = [
    ['a b', '/pets/a%20b/photos'],
    ['group/project', '/pets/group%2Fproject/photos'],
    ['?admin=1#', '/pets/%3Fadmin%3D1%23/photos'],
    ['..hidden', '/pets/..hidden/photos'],
    [['a', 'b'], '/pets/a%2Cb/photos'],
    ...[
      '..',
      '.',
      '../admin',
      'a/../b',
      '..\\b',
      '%2e%2e',
      '%2e%2e%2fb',
      '%252e%252e/b',
      '..;/b',
      'a/./b',
      '..%00/b',
      '%25%32%65%25%32%65/b',
      '\uff0e\uff0e/b',
      '%u002e%u002e/b',
      '%c0%ae%c0%ae/b',
      '.. /b',
      'a%250a',
      'a\0',
      'a\n',
    ].map((value): [Json, string] => [
      value,
      '/id must not contain `.` or `..` as a part of a path, nor control characters',
    ]),
    ['', '/id must not be empty'],
    [[], '/id must not be empty'],
  ]
  test.each(path)('of the path parameter %j: %s', (value, expected) =>
    expect(url({ name: 'id', in: 'path' }, value, '/pets/{id}/photos')).toBe(expected),
  )

  test.each([
    ['ids', 'query'],
    ['IDS', 'query'],
    ['ids[]', 'query'],
    ['ids[0]', 'query'],
    [' ids', 'query'],
    ['ids.x', 'query'],
    ['i\uff44s', 'query'],
    ['ids', 'cookie'],
  ])('refuses an object with the key %j, which is a declared %s parameter', (key, place) => {
    const declared = operation([
      { name: 'filter', in: place },
      { name: 'ids', in: place },
    ])
    for (const more of [{}, { ids: ['real'] }]) {
      const made = buildRequest(declared, base, { key: 's3cret' }, { filter: { [key]: 'override' }, ...more })
      expect(made).toEqual({
        ok: false,
        says: `/filter must not have the key \`${key}\`, which is another parameter`,
      })
    }
  })

  test('refuses two objects with the same key, and one that sets a declared part of another name', () => {
    const both = operation([query({ name: 'a' }), query({ name: 'b' })])
    const args = { a: { x: '1' }, b: { x: '2' } }
    expect(buildRequest(both, base, {}, args)).toMatchObject({
      ok: false,
      says: expect.stringMatching(/^\/b/) as string,
    })
    const deep = operation([query({ name: 'f', style: 'deepObject' }), query({ name: 'f[state]' })])
    expect(buildRequest(deep, base, {}, { f: { state: 'x' } })).toMatchObject({ ok: false })
    expect(buildRequest(deep, base, {}, { f: { other: 'x' } })).toMatchObject({ ok: true })
  })

  test('has an object whose key is a parameter of another place', () => {
    const declared = operation([query({ name: 'filter' }), { name: 'ids', in: 'header' }])
    expect(buildRequest(declared, base, {}, { filter: { ids: 'x' } })).toMatchObject({ ok: true })
  })

  test('has its own headers, cookies and body', () => {
    const declared = operation(
      [
        { name: 'X-One', in: 'header' },
        { name: 'c', in: 'cookie' },
      ],
      '/x',
      { requestBody: { content: { 'application/json': {} } } },
    )
    const made = buildRequest(declared, base, {}, { 'X-One': 'a, b', c: 'x; admin=1', body: { a: [1, null] } })
    expect(made).toMatchObject({
      request: {
        headers: { 'x-one': 'a, b', cookie: 'c=x%3B%20admin%3D1', 'content-type': 'application/json' },
        body: '{"a":[1,null]}',
      },
    })
    for (const value of ['a\r\nX-Two: 1', 'a\nb', 'ä', ' a'])
      expect(buildRequest(declared, base, {}, { 'X-One': value })).toEqual({
        ok: false,
        says: '/X-One is not a valid header value',
      })
  })

  test('may contain a form, if it is flat', () => {
    const form = { requestBody: { content: { 'application/x-www-form-urlencoded': {} } } }
    const send = (body: Json) => buildRequest(operation([], '/x', form), base, {}, { body })
    expect(send({ a: 'x&y=1', b: [1, true], c: null })).toMatchObject({
      request: { body: 'a=x%26y%3D1&b=1&b=true&c=' },
    })
    for (const body of ['text', { a: { b: 1 } }, { a: [{}] }]) expect(send(body)).toMatchObject({ ok: false })
  })

  test('LAW: goes to its operation, with each value where it belongs, whatever the values are', () => {
    const declared = operation(
      [
        { name: 'id', in: 'path' },
        { name: 'q', in: 'query' },
        { name: 'X-H', in: 'header' },
      ],
      '/pets/{id}/photos',
    )
    const pieces = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '?',
      '#',
      '%2e',
      '%2F',
      '%00',
      '\r\n',
      '@',
      ':',
      '//evil.example',
      '&key=x',
      'ä',
      '💧',
      ' ',
    )
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 5 }).map((some) => some.join('')),
    )
    fc.assert(
      fc.property(nasty, nasty, nasty, (id, q, header) => {
        fc.pre([id, q, header].every((text) => text.isWellFormed()))
        const made = buildRequest(declared, base, { key: 's3cret' }, { id, q, 'X-H': header })
        if (!made.ok) return
        const { url, headers } = made.request
        expect(url.origin).toBe(base.origin)
        expect(url.pathname.split('/').map((part) => decodeURIComponent(part))).toEqual([
          '',
          'v1',
          'pets',
          id,
          'photos',
        ])
        expect([...url.searchParams]).toEqual([
          ['q', q],
          ['key', 's3cret'],
        ])
        expect(headers).toEqual({ 'x-h': header })
        expect(header).toMatch(/^[\x20-\x7e]*$/)
      }),
      { numRuns: 500 },
    )
  })
})
