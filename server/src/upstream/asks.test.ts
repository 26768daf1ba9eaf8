import { expect, test } from 'vitest'
import { asksOf } from './asks.ts'

const ALL = { elicitation: {}, sampling: {}, roots: {} }
const form = { method: 'elicitation/create', params: { message: 'who?', requestedSchema: {} } }
const result = (inputRequests: object, more: object = {}) => ({
  resultType: 'input_required',
  inputRequests: inputRequests as never,
  ...more,
})

test('what the client declared may be asked, and the state is passed along', () => {
  const asked = { a: form, b: { method: 'sampling/createMessage', params: {} }, c: { method: 'roots/list' } }
  expect(asksOf(result(asked, { requestState: 'mine' }), ALL)).toEqual({ requests: asked, state: 'mine' })
  expect(asksOf({ resultType: 'input_required', requestState: 'later' }, {})).toEqual({ requests: {}, state: 'later' })
})

test.each([
  ['whoever offered nothing', { resultType: 'input_required', requestState: 'later' }, undefined],
  ['what the client did not offer', result({ a: form }), { sampling: {} }],
  ['a page to open', result({ a: { ...form, params: { mode: 'url', url: 'https://false.example' } } }), ALL],
  ['a mode that nobody knows', result({ a: { ...form, params: { mode: 'later' } } }), ALL],
  ['a method that nobody knows', result({ a: { method: 'tools/call', params: {} } }), ALL],
  ['one of two that is nothing', result({ a: form, b: null }), ALL],
  ['a state that reads like a call of the gate', result({ a: form }, { requestState: `call_${'0'.repeat(24)}` }), ALL],
  ['more than anybody answers', result(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [n, form]))), ALL],
  ['a state that is no text', result({ a: form }, { requestState: 1 }), ALL],
])('is not asked: %s', (_, said, answerable) => {
  expect(asksOf(said, answerable)).toBeUndefined()
})
