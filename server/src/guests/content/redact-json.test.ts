import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { redactJson } from './redact-json.ts'
import { builtIn } from './rules/built-in.suite.ts'
import { mixedText } from './rules/samples.suite.ts'

const redact = (value: Json): Json => redactJson(value, builtIn).value

describe('redacting JSON', () => {
  test('a value is a secret because of its key', () => {
    expect(redact({ user: 'jo', password: 'correct horse' })).toEqual({ user: 'jo', password: '[REDACTED_PASSWORD]' })
    expect(redact({ note: 'correct horse' })).toEqual({ note: 'correct horse' })
  })

  test('arrays and objects are searched at every depth, and a key applies to its array', () => {
    const value = {
      a: [{ b: ['x', ['to a@b.org']] }],
      passwords: { list: 1 },
      password: ['hunter2x', { hint: 'none' }],
    }
    expect(redact(value)).toEqual({
      a: [{ b: ['x', ['to [REDACTED_EMAIL]']] }],
      passwords: { list: 1 },
      password: ['[REDACTED_PASSWORD]', { hint: 'none' }],
    })
  })

  test('a field called value uses the name beside it', () => {
    expect(redact({ name: 'DB_PASSWORD', value: 'tr0ub4dor' })).toEqual({
      name: 'DB_PASSWORD',
      value: '[REDACTED_PASSWORD]',
    })
  })

  test('a number can be personal data', () => {
    expect(redact({ card: 4111111111111111, count: 12 })).toEqual({ card: '[REDACTED_PAYMENT_CARD]', count: 12 })
  })

  test('a key beside a number says what the number is', () => {
    expect(redact({ phone: '5551234567', order: '5551234567' })).toEqual({
      phone: '[REDACTED_PHONE]',
      order: '5551234567',
    })
  })

  test('keys are redacted too, without losing a field', () => {
    expect(redact({ 'a@b.org': 1, 'c@d.org': 2 })).toEqual({ '[REDACTED_EMAIL]': 1, '[REDACTED_EMAIL]_2': 2 })
    expect(Object.keys(redact(JSON.parse('{"__proto__": 1}') as Json) as object)).toEqual(['__proto__'])
  })

  test('values that are not text are kept', () => {
    expect(redact([null, true, 1.5, {}, []])).toEqual([null, true, 1.5, {}, []])
  })

  test('findings say where they were', () => {
    const { findings } = redactJson({ 'a/b': [{ c: 'x a@b.org' }] }, builtIn)
    expect(findings).toEqual([
      { type: 'EMAIL', rule: 'email', kind: 'pii', place: '/a~1b/0/c', start: 2, end: 9, path: '/a~1b/0/c' },
    ])
  })

  test('a redaction mark in a name is no evidence about its value', () => {
    const mark = '[REDACTED_SECRET]'
    expect(redact({ name: `${mark} of`, value: 1000 })).toEqual({ name: `${mark} of`, value: 1000 })
    expect(redact({ [mark]: 1000 })).toEqual({ [mark]: 1000 })
    expect(redact({ name: 'password', value: 'x7Kq9Zr2' })).toMatchObject({
      name: 'password',
      value: '[REDACTED_PASSWORD]',
    })
  })

  test('redacting twice changes nothing more', () => {
    const leaf = fc.oneof(mixedText, fc.integer(), fc.constant(null))
    const key = fc.constantFrom('password', 'token', 'name', 'value', 'phone', 'x', 'apiKey')
    const json = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(key, tie('json'), { maxKeys: 4 }),
      ),
    })).json
    fc.assert(
      fc.property(json, (value) => {
        const once = redact(value)
        expect(redact(once)).toEqual(once)
      }),
      { numRuns: 400 },
    )
  })
})
