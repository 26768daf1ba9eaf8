import { expect, test } from 'vitest'
import { splitWords, verbIn } from './split-words.ts'

test.each([
  ['getHTTPStatus', ['get', 'http', 'status']],
  ['get_http-status', ['get', 'http', 'status']],
  ['Get.HTTP status', ['get', 'http', 'status']],
  ['v2_listItems', ['v', 'list', 'items']],
  ['__', []],
])('%s splits into its words', (name, words) => {
  expect(splitWords(name)).toEqual(words)
})

test.each([
  ['copies', 'copy', 'third'],
  ['searches', 'search', 'third'],
  ['removes', 'remove', 'third'],
  ['running', 'run', 'gerund'],
  ['deleting', 'delete', 'gerund'],
  ['modified', 'modify', 'past'],
  ['set', 'set', 'base'],
])('%s is a form of %s', (word, verb, form) => {
  expect(verbIn(word)).toMatchObject({ verb, form })
})

test('a word that only ends like a verb is not one', () => {
  expect(verbIn('thing')).toBeUndefined()
  expect(verbIn('constructor')).toBeUndefined()
})
