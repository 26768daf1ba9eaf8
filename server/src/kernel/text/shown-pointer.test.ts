import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { namePlaces, shownPointer } from './shown-pointer.ts'

const schema = {
  type: 'object',
  properties: { edits: { items: { properties: { 'a/b': {}, path: {} } } } },
  anyOf: [{ properties: { other: {} } }],
}

test('a place is shown by the names in the schema and by indexes', () => {
  expect(shownPointer(['edits', '0', 'path'], schema)).toBe('/edits/0/path')
  expect(shownPointer(['edits', '0', 'a/b'], schema)).toBe('/edits/0/a~1b')
  expect(shownPointer(['other'], schema)).toBe('/other')
  expect(shownPointer([], schema)).toBe('/')
})

test('law: a key chosen by the caller is never shown', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 5 }).filter((key) => key !== 'edits' && key !== 'other')), (keys) => {
      expect(shownPointer(keys, schema)).toBe(keys.length === 0 ? '/' : '/*'.repeat(keys.length))
    }),
  )
})

test('places are named once each, and no more than five of them', () => {
  expect(namePlaces(['/a', '/a'])).toBe('`/a`')
  expect(namePlaces(['/1', '/2', '/3', '/4', '/5', '/6', '/7'])).toBe('`/1`, `/2`, `/3`, `/4`, `/5` and 2 more')
})
