import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeSentence } from './make-sentence.ts'
import { byArrival, groupSentence } from '../../kernel/contract/alike.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { sentenceText, type Sentence, type SentencePiece } from '../../kernel/contract/sentence.ts'

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

const made = (tool_id: string, args: Json) =>
  makeSentence({ tool_id, tool: { effects: ['write', 'external'], effects_from: 'configured' }, args })

test('a single request has no group sentence', () => expect(said(to(value('ana@x.example')))).toBeUndefined())

test.each<[string, readonly Json[], string]>([
  [
    'mail__send',
    [{ to: 'a@x.example' }, { to: 'b@x.example', bcc: 'eve@x.example' }, { to: 'c@x.example' }],
    'Send 3 e-mails to a@x.example, b@x.example and c@x.example; some of them blind copy to eve@x.example',
  ],
  [
    'mail__send',
    [
      { to: 'a@x.example', attachments: ['q.pdf'] },
      { to: 'b@x.example', attachments: ['q.pdf', 'pay.xlsx'] },
    ],
    'Send 2 e-mails to a@x.example and b@x.example with attachments: q.pdf and pay.xlsx',
  ],
  [
    'mail__send',
    [{ to: 'a@x.example', attachments: ['q.pdf'] }, { to: 'b@x.example' }],
    'Send 2 e-mails to a@x.example and b@x.example; some of them with 1 attachment: q.pdf',
  ],
  [
    'chat__send',
    [{ to: 'a@x.example' }, { to: '#ops' }],
    '2 calls: Send an e-mail to a@x.example; Send something to #ops',
  ],
  [
    'bank__pay',
    [
      { amount: 5, currency: 'EUR', payee: 'A', iban: 'DE89370400440532013000' },
      { amount: 7, currency: 'EUR', payee: 'B' },
    ],
    '2 calls: Pay €5.00 and €7.00 to A and B; some of them account DE89370400440532013000',
  ],
  ['x__do', [{ to: 'a@x.example', command: 'ls' }, { amount: 5 }], ''],
])('%s %o: %s', (tool_id, all, sentence) => {
  const sentences = all.map((args) => made(tool_id, args))
  if (sentence !== '') expect(said(...sentences)).toBe(sentence)
  const text = said(...sentences) ?? ''
  for (const { pieces } of sentences)
    for (const piece of pieces) if (piece.is !== 'text') expect(text).toContain(piece.text)
})

test('the order of the list does not change the sentence', () => {
  const packets = ['c', 'a', 'b'].map((approval_id, at) => ({ approval_id, created_at: at < 2 ? 1 : 0 }))
  const order = (list: typeof packets) => byArrival(list).map(({ approval_id }) => approval_id)
  expect(order(packets)).toEqual(['b', 'a', 'c'])
  expect(order(packets.toReversed())).toEqual(['b', 'a', 'c'])
})

test('the group sentence contains every value, and marks each value that came from outside', () => {
  const piece = fc.oneof(fc.string({ minLength: 1 }).map(value), fc.string({ minLength: 1 }).map(outside))
  const copies = (pieces: readonly SentencePiece[]): SentencePiece[] =>
    pieces.flatMap((one, at) => [{ is: 'text', text: at % 2 === 0 ? ', copy to ' : ', blind copy to ' }, one])
  const sentence = fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.array(piece, { maxLength: 3 }), fc.boolean())
    .map(([some, more, isPay]): Sentence => {
      const one = to(...some)
      return { ...one, action: isPay ? 'pay' : 'send', pieces: [...one.pieces, ...copies(more)] }
    })
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 2, maxLength: 6 }), (sentences) => {
      const pieces = groupSentence(sentences)?.pieces.filter(({ is }) => is !== 'text') ?? []
      const shown = (of: string, word: string) => pieces.some(({ is, text }) => text === word && is === of)
      for (const { is, text } of sentences.flatMap(({ pieces }) => pieces)) {
        if (is === 'value') expect(shown('value', text) || shown('outside', text)).toBe(true)
        if (is === 'outside') expect(shown('outside', text)).toBe(true)
      }
    }),
  )
})
