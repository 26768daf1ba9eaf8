import { expect, test } from 'vitest'
import { asksOf } from './asks.ts'

const ALL = { elicitation: {}, sampling: {}, roots: {} }
const form = { method: 'elicitation/create', params: { message: 'who?', requestedSchema: {} } }
const result = (inputRequests: object, more: object = {}) => ({
  resultType: 'input_required',
  inputRequests: inputRequests as never,
  ...more,
})

test('a server may ask what the client declared, and its state is passed on', () => {
  const asked = { a: form, b: { method: 'sampling/createMessage', params: {} }, c: { method: 'roots/list' } }
  expect(asksOf(result(asked, { requestState: 'mine' }), ALL)).toEqual({ requests: asked, state: 'mine' })
  expect(asksOf({ resultType: 'input_required', requestState: 'later' }, {})).toEqual({ requests: {}, state: 'later' })
})

test.each([
  ['a client that declared nothing', { resultType: 'input_required', requestState: 'later' }, undefined],
  ['what the client did not declare', result({ a: form }), { sampling: {} }],
  ['a page to open', result({ a: { ...form, params: { mode: 'url', url: 'https://false.example' } } }), ALL],
  ['an unknown mode', result({ a: { ...form, params: { mode: 'later' } } }), ALL],
  ['an unknown method', result({ a: { method: 'tools/call', params: {} } }), ALL],
  ['a question that is null, beside a valid one', result({ a: form, b: null }), ALL],
  ['a state that looks like the id of a call', result({ a: form }, { requestState: `call_${'0'.repeat(24)}` }), ALL],
  ['too many questions', result(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [n, form]))), ALL],
  ['a state that is not text', result({ a: form }, { requestState: 1 }), ALL],
])('a server may not ask: %s', (_, said, answerable) => {
  expect(asksOf(said, answerable)).toBeUndefined()
})
