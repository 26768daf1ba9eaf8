import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AuditDraft } from '../contract/audit.ts'
import { emptyHead, entryParts, entryText, linkEntry } from './chain.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const word = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed())
const opinion = fc.record({
  decider: word,
  effect: fc.constantFrom('allow' as const, 'ask' as const, 'block' as const),
  rule: word,
  says: word,
  source: word,
  at: fc.double({ noNaN: true, noDefaultInfinity: true }),
})
const draft: fc.Arbitrary<AuditDraft> = fc.record(
  {
    at: fc.double({ noNaN: true, noDefaultInfinity: true }),
    type: word as fc.Arbitrary<AuditDraft['type']>,
    actor: word,
    trace: word,
    subject: fc.dictionary(word, word),
    args_hash: word,
    verdict: fc.record({ effect: fc.constantFrom('allow' as const, 'block' as const), evidence: fc.array(opinion) }),
    outcome: word,
    about: fc.dictionary(word, fc.jsonValue() as fc.Arbitrary<string>),
  },
  { requiredKeys: ['at', 'type', 'actor', 'trace', 'subject'] },
)

test('law: a linked draft is the canonical text of the whole entry, and its hash covers that text', () => {
  fc.assert(
    fc.property(draft, word, fc.nat(), (draft, stream, seq) => {
      const head = { ...emptyHead(stream), seq }
      const linked = linkEntry(head, entryParts(draft), digest)
      expect(linked.text).toBe(entryText({ ...draft, v: 1, stream, seq: seq + 1, prev_hash: head.hash }))
      expect(linked.head).toEqual({ stream, seq: seq + 1, hash: digest(linked.text) })
    }),
  )
})

test.each([
  ['no number', { at: Number.NaN }],
  ['half a character', { actor: '\ud800' }],
])('a draft with %s has no text', (_, flaw) => {
  const whole = { at: 1, type: 'call.held' as const, actor: 'a', trace: 't', subject: {} }
  expect(() => entryParts({ ...whole, ...flaw })).toThrow('not allowed')
})
