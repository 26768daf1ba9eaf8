import { expect, test } from 'vitest'
import { countWords, weighWords } from './learn-word-weights.ts'

const requests = (count: number) =>
  Array.from({ length: count }, () => ({ query: 'various invoices', wanted: [['right']] }))
const set = (count: number) =>
  countWords({
    tools: [
      { id: 'right', name: 'invoice' },
      { id: 'wrong', name: 'various' },
    ],
    questions: requests(count),
  })

test('a word that the right tools do not contain counts little, one that they contain counts fully', () => {
  expect(weighWords([set(40), set(40), set(40)])).toEqual([{ word: 'various', weight: 0.3 }])
})

test('two sets are not enough, and neither are few requests', () => {
  expect(weighWords([set(40), set(40)])).toEqual([])
  expect(weighWords([set(2), set(2), set(2)])).toEqual([])
})

test('a word that no tool of the set contains says nothing about it', () => {
  const counts = countWords({ tools: [{ id: 'a', name: 'invoice' }], questions: [{ query: 'blue', wanted: [['a']] }] })
  expect(counts.size).toBe(0)
})
