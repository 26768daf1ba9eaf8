import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { parsePath, parseText, renderTemplate, valueAtPath, type Lookup } from './templates.ts'

const VALUES: Json = {
  input: { name: 'Ana', n: 3, none: null, list: [1, { b: 2, a: 1 }], '1': 'one' },
  output: { z: 1, a: [true] },
  now: '2026-11-16T00:00:00.000Z',
}
const lookup: Lookup = (path) => valueAtPath(VALUES, path)
const fill = (template: Json) => renderTemplate(template, lookup)
const valueOf = (template: Json) => {
  const rendered = fill(template)
  return rendered.ok ? rendered.value : rendered.says
}

describe('a template', () => {
  test('with a single token keeps the type of its value', () => {
    expect(
      valueOf({ a: '{{input.n}}', b: '{{ input.list }}', c: '{{input.none}}', d: ['{{input.list[1].b}}'] }),
    ).toEqual({
      a: 3,
      b: [1, { b: 2, a: 1 }],
      c: null,
      d: [2],
    })
  })

  test('prints scalars plainly and objects as canonical JSON inside longer text', () => {
    expect(valueOf('{{input.name}} has {{input.n}}, {{input.none}} and {{input.list.1}}')).toBe(
      'Ana has 3, null and {"a":1,"b":2}',
    )
  })

  test('has one filter, and `output.json` as its short form', () => {
    expect(valueOf('{{output | json}}')).toBe('{"a":[true],"z":1}')
    expect(valueOf('{{output|json}}')).toBe('{"a":[true],"z":1}')
    expect(valueOf('{{output.json}}')).toBe('{"a":[true],"z":1}')
    expect(valueOf('CLERK {{output.json}}')).toBe('CLERK {"a":[true],"z":1}')
    expect(valueOf('{{input.name | json}}')).toBe('"Ana"')
  })

  test.each([
    ['{{input.missing}}', '`{{input.missing}}` has no value'],
    ['{{input.name.length}}', '`{{input.name.length}}` has no value'],
    ['{{input.list.length}}', '`{{input.list.length}}` has no value'],
    ['{{input.list[2]}}', '`{{input.list[2]}}` has no value'],
    ['{{input.__proto__}}', '`{{input.__proto__}}` has no value'],
    ['{{input.constructor}}', '`{{input.constructor}}` has no value'],
    ['{{}}', 'an empty token `{{}}`'],
    ['a {{  }} b', 'an empty token `{{}}`'],
    ['{{input.name', 'unbalanced braces: `{{` without `}}`'],
    ['input.name}}', 'unbalanced braces: `}}` without `{{`'],
    ['{{input..name}}', '`{{input..name}}` is not a path'],
    ['{{input.name | upper}}', '`{{input.name | upper}}` is not a path'],
    ['{{1}}', '`{{1}}` is not a path'],
  ])('%s stops: %s', (template, says) => {
    expect(fill(template)).toEqual({ ok: false, says })
  })

  test('does not change JSON in a text', () => {
    expect(valueOf('{"a":{"b":{{input.n}}}}')).toBe('{"a":{"b":3}}')
    expect(valueOf('Return {"items":[{"q":{"x":1}}]}')).toBe('Return {"items":[{"q":{"x":1}}]}')
  })

  test('recognizes a secret only as the whole of a text', () => {
    expect(fill({ token: '{{secret:api-key}}', list: ['{{secret:b}}'] })).toEqual({
      ok: true,
      value: { token: '{{secret:api-key}}', list: ['{{secret:b}}'] },
      secrets: { '/token': 'api-key', '/list/0': 'b' },
    })
    expect(fill('Bearer {{secret:api-key}}')).toMatchObject({ ok: false })
  })
})

describe('laws', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('{{input.name}}', '{{secret:api-key}}', '{{state.x}}', '}}', '{{', '{{output | json}}'),
  )

  test('inserted values are never parsed again, neither as a token nor as a secret', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const values: Lookup = ([root]) => (root === 'input' ? text : undefined)
        expect(renderTemplate({ a: '{{input}}', b: ['x{{input}}y'] }, values)).toEqual({
          ok: true,
          value: { a: text, b: [`x${text}y`] },
          secrets: {},
        })
      }),
    )
  })

  test('parsing never throws, and what it accepts is rendered or rejected without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '.', 'a', '[', ']', '0', '|', ' ', ':') }), (text) => {
        const parsed = parseText(text)
        const rendered = renderTemplate(text, lookup)
        if (!parsed.ok) expect(rendered.ok).toBe(false)
      }),
    )
  })

  test('a path is parsed as written', () => {
    expect(parsePath('steps.step_0.items[2].title')).toEqual(['steps', 'step_0', 'items', 2, 'title'])
    for (const text of ['', '.a', 'a.', 'a[', 'a[x]', 'a b', 'a.b c', '0a']) expect(parsePath(text)).toBeUndefined()
  })
})
