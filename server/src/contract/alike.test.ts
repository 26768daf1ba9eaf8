import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupSentence } from './alike.ts'
import { sentenceText, type Sentence, type SentencePiece } from './sentence.ts'

const to = (...addresses: readonly SentencePiece[]): Sentence => ({
  action: 'send',
  button: 'Approve and send',
  pieces: [
    { is: 'text', text: 'Send an e-mail' },
    { is: 'text', text: ' to ' },
    ...addresses.flatMap((one, at): SentencePiece[] => (at === 0 ? [one] : [{ is: 'text', text: ' and ' }, one])),
  ],
})
const value = (text: string): SentencePiece => ({ is: 'value', text, at: '/to' })
const outside = (text: string): SentencePiece => ({ is: 'outside', text, at: '/to' })
const said = (...sentences: readonly Sentence[]) => {
  const all = groupSentence(sentences)
  return all === undefined ? undefined : sentenceText(all)
}

test('messages to one recipient, and to several, are counted in one sentence', () => {
  const [ana, ben, cem] = ['ana@x.example', 'ben@x.example', 'cem@x.example'].map((one) => to(value(one)))
  if (ana === undefined || ben === undefined || cem === undefined) throw new Error('three sentences')
  expect(said(ana, ana, ana)).toBe('Send 3 e-mails to ana@x.example')
  expect(said(ana, ben, cem)).toBe('Send 3 e-mails to ana@x.example, ben@x.example and cem@x.example')
  expect(said(ana, to(value('ana@x.example'), value('ben@x.example')))).toBe(
    'Send 2 e-mails to ana@x.example and ben@x.example',
  )
})

test.each([
  ['a reply', 'Send 2 replies'],
  ['a text message', 'Send 2 text messages'],
  ['something', 'Send 2 messages'],
])('%s is counted', (what, expected) => {
  const one: Sentence = { ...to(value('a')), pieces: [{ is: 'text', text: `Send ${what}` }] }
  expect(said(one, one)).toBe(expected)
})

test('a single request, other actions, and sentences of another shape have no group sentence', () => {
  const one = to(value('ana@x.example'))
  const copied: Sentence = { ...one, pieces: [...one.pieces, { is: 'text', text: ', copy to ' }, value('eve')] }
  expect(said(one)).toBeUndefined()
  expect(said(one, { ...one, action: 'pay' })).toBeUndefined()
  expect(said(one, copied)).toBeUndefined()
})

test('the group sentence contains every value, and marks each value that came from outside', () => {
  const piece = fc.oneof(fc.string({ minLength: 1 }).map(value), fc.string({ minLength: 1 }).map(outside))
  const sentence = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => to(...pieces))
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 2, maxLength: 6 }), (sentences) => {
      const pieces = groupSentence(sentences)?.pieces.filter(({ is }) => is !== 'text') ?? []
      const shown = new Map(pieces.map(({ text, is }) => [text, is]))
      for (const { is, text } of sentences.flatMap(({ pieces }) => pieces)) {
        if (is !== 'text') expect(shown.has(text)).toBe(true)
        if (is === 'outside') expect(shown.get(text)).toBe('outside')
      }
    }),
  )
})
