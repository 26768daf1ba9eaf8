import { expect, test } from 'vitest'
import { EGRESS_VERBS, NOUNISH, PLAIN_ACTIONS, VERB_LISTS, VERBS } from './lexicon.ts'

test('no verb is in two classes', () => {
  const all = Object.values(VERB_LISTS).flat()
  expect(all.filter((verb, at) => all.indexOf(verb) !== at)).toEqual([])
})

test('every word in a list of verbs is a known verb', () => {
  const unknown = [...NOUNISH, ...PLAIN_ACTIONS, ...EGRESS_VERBS].filter((word) => !VERBS.has(word))
  expect(unknown).toEqual([])
})
