import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../contract/json.ts'
import { fillTemplate } from './template.ts'

const json = () => fc.jsonValue() as fc.Arbitrary<Json>
/** Keys and texts that try to be interpreted as more than values. */
const sly = fc.constantFrom(
  '{{args.other}}',
  '{{result.id}}',
  'a {{args.x}} b',
  '{{',
  '}}',
  '$&',
  '$1',
  '{{args.x}}{{result.id}}',
)

describe('a placeholder', () => {
  test('that is a whole text becomes the value itself, whatever its type', () => {
    fc.assert(
      fc.property(json(), (value) => {
        expect(fillTemplate({ a: ['{{args.x}}'] }, { args: { x: value } })).toEqual({
          value: { a: [value] },
          open: [],
          missing: [],
        })
      }),
    )
  })

  test('is filled once: a value that looks like a placeholder stays what it is', () => {
    fc.assert(
      fc.property(fc.oneof(sly, fc.string()), sly, (x, other) => {
        const template = { whole: '{{args.x}}', inside: '<{{args.x}}|{{args.other}}>' }
        const filled = fillTemplate(template, { args: { x, other }, result: { id: 'secret' } })
        expect(filled).toEqual({ value: { whole: x, inside: `<${x}|${other}>` }, open: [], missing: [] })
      }),
    )
  })

  test('without a value is named, and nothing is filled in', () => {
    fc.assert(
      fc.property(json(), (args) => {
        const template = { a: '{{args.not there.at all}}', b: 'x{{args.not there.at all}}' }
        expect(fillTemplate(template, { args })).toEqual({
          value: template,
          open: [],
          missing: ['{{args.not there.at all}}'],
        })
      }),
    )
  })

  test('whose source does not exist yet stays open', () => {
    expect(fillTemplate({ id: '{{result.id}}', to: '{{args.to}}' }, { args: { to: 'ana' } })).toEqual({
      value: { id: '{{result.id}}', to: 'ana' },
      open: ['{{result.id}}'],
      missing: [],
    })
  })

  test.each([
    ['text', 'n: text'],
    [7, 'n: 7'],
    [1e21, 'n: 1e+21'],
    [false, 'n: false'],
  ])('inside a longer text, %j is written as expected', (x, value) => {
    expect(fillTemplate('n: {{args.x}}', { args: { x } })).toEqual({ value, open: [], missing: [] })
  })

  test.each([[null], [{ a: 1 }], [[1]]])('inside a longer text, %j is not allowed', (x) => {
    expect(fillTemplate('n: {{args.x}}', { args: { x } })).toMatchObject({ missing: ['{{args.x}}'] })
  })

  test('finds only own properties of a value', () => {
    for (const path of ['constructor', '__proto__', 'toString', 'list.length', 'list.-1', 'list.01', 'text.0'])
      expect(fillTemplate(`{{args.${path}}}`, { args: { list: [1, 2], text: 'abc' } }).missing).toHaveLength(1)
    const args = JSON.parse('{"__proto__":{"a":1},"list":[[5]]}') as Json
    expect(fillTemplate(['{{args.__proto__.a}}', '{{args.list.0.0}}'], { args }).value).toEqual([1, 5])
  })
})

test('a template without placeholders is returned as it is', () => {
  const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('{{')) as fc.Arbitrary<Json>
  fc.assert(
    fc.property(plain, json(), (template, args) => {
      expect(fillTemplate(template, { args, result: args })).toEqual({ value: template, open: [], missing: [] })
    }),
  )
})
