import { expect, test } from 'vitest'
import { withoutPosition } from './print-typed-fault.ts'

const typed = '{"to":"a","to":"b"}'
const text = { body: `{"tool":"x","args":${typed}}`, typed }
const replyWith = (at: number) => {
  const body = {
    code: 'request.not_ijson',
    title: 'not I-JSON',
    detail: 'correct it',
    about: { what: 'x', at: `${at}` },
  }
  return { status: 400, text: JSON.stringify(body), body }
}

test('a mistake in the typed text is not reported with its position in the request', () => {
  const reply = replyWith(text.body.indexOf(typed) + 10)
  const shown = withoutPosition(reply, text)
  expect(shown.body).toEqual({ code: 'request.not_ijson', title: 'not I-JSON' })
  expect(shown.text).toBe(reply.text)
})

test('a mistake elsewhere in the request keeps its position', () => {
  const reply = replyWith(3)
  expect(withoutPosition(reply, text)).toBe(reply)
})
