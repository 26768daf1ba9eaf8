import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordsOf } from './leaves.ts'

const line = fc.oneof(
  fc.string(),
  fc.constantFrom('', '   ', '---', '===', '- item: 4', 'name: value', '12: the total', '> Name: x', 'name:', ': x'),
  fc.constantFrom('"text"', '{"a":1}', "['a']", '(1, 2)', '"a: b"', '42', 'null', '{broken', '\r', 'a\rb'),
  fc.tuple(fc.string({ maxLength: 30 }), fc.lorem()).map(([name, text]) => `${name}: ${text}`),
  fc.lorem({ mode: 'sentences' }),
)

test('law: an answer of one line has the same records as one that is followed by an empty text', () => {
  fc.assert(
    fc.property(line, (text) => {
      const alone = [...recordsOf({ content: [{ type: 'text', text }] })]
      expect(alone).toEqual([
        ...recordsOf({
          content: [
            { type: 'text', text },
            { type: 'text', text: '' },
          ],
        }),
      ])
    }),
    { numRuns: 2_000 },
  )
})
