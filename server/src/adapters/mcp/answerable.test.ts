import { expect, test } from 'vitest'
import { answerableOf } from './answerable.ts'

test('a tool server gets a fixed description of what it may ask, and no text that the client wrote', () => {
  const declared = {
    elicitation: { form: { note: 'for the server' }, url: {} },
    sampling: { tools: { secret: 'x' }, more: {} },
    roots: { listChanged: true },
    experimental: { smuggled: 'text' },
  }
  expect(answerableOf(declared)).toEqual({ elicitation: { form: {} }, sampling: { tools: {} }, roots: {} })
})

test('a client that names no mode supports forms; a client that only opens pages is not asked', () => {
  expect(answerableOf({ elicitation: {} })).toEqual({ elicitation: {} })
  expect(answerableOf({ elicitation: { url: {} } })).toBeUndefined()
})

test.each([undefined, null, 'all', [], {}, { elicitation: true }])('%j offers nothing', (declared) => {
  expect(answerableOf(declared)).toBeUndefined()
})
