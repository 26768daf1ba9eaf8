import { expect, test } from 'vitest'
import { sentenceText, type Sentence } from '../contract/sentence.ts'
import type { SentenceInput } from '../ports/make-sentence.ts'
import { plainSentence } from './plain-sentence.ts'

function sentenceOf(input: SentenceInput): Sentence {
  const steps = plainSentence(input)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

test('a sentence without templates names the tool and what it is called with', () => {
  const sentence = sentenceOf({ tool_id: 'mail__send', args: { to: 'anna@example.com', text: 'hi‮there' } })
  expect(sentenceText(sentence)).toBe('Call mail__send with to: anna@example.com, text: “hi⟨U+202E⟩there”')
  expect(sentence.confirm).toEqual({ what: 'tool', words: ['mail__send'] })
})

test('every recipient is in it, and other inputs are counted if there are many', () => {
  const to = Array.from({ length: 60 }, (_, at) => `person${at}@example.com`)
  const more = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`flag_${at}x`, `x${at}`]))
  const says = sentenceText(sentenceOf({ tool_id: 'mail__send', args: { to, ...more } }))
  expect(to.filter((person) => !says.includes(person))).toEqual([])
  expect(says).toContain('⟨and 40 more inputs⟩')
})

test('a value from outside is marked, and so is a recipient that looks like another one', () => {
  const sources = [{ at: '/note', kind: 'outside', label: 'a page' }] as const
  const { pieces } = sentenceOf({ tool_id: 'm__s', args: { to: ['anna@x.com', 'аnna@x.com'], note: 'n' }, sources })
  expect(pieces.find((piece) => piece.is === 'outside')).toMatchObject({ at: '/note' })
  expect(pieces.filter((piece) => piece.is !== 'text' && piece.mark !== undefined)).toHaveLength(2)
})
