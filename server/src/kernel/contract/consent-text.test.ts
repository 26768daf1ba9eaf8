import { describe, expect, test } from 'vitest'
import type { Constraint } from './consent.ts'
import { argumentsText } from './consent-text.ts'

describe('what a consent permits as arguments', () => {
  test.each<[string, Constraint[]]>([
    ['`to` must be "bob"; a call with any other argument is still held', [{ path: '/to', op: 'equals', value: 'bob' }]],
    [
      '`to` must be one of "a", "b"; `body` may have any value; a call with any other argument is still held',
      [
        { path: '/to', op: 'in', value: ['a', 'b'] },
        { path: '/body', op: 'any' },
      ],
    ],
    [
      '`n` must be at least 1; `n` must be at most 9; `path` must start with "docs/"; a call with any other argument is still held',
      [
        { path: '/n', op: 'min', value: 1 },
        { path: '/n', op: 'max', value: 9 },
        { path: '/path', op: 'prefix', value: 'docs/' },
      ],
    ],
    [
      '`/mail/to` must be "bob"; a call with any other argument is still held',
      [{ path: '/mail/to', op: 'equals', value: 'bob' }],
    ],
    ['all arguments may have any value', [{ path: '', op: 'any' }]],
    [
      '`to` must be "bob"; all other arguments may have any value',
      [
        { path: '', op: 'any' },
        { path: '/to', op: 'equals', value: 'bob' },
      ],
    ],
    [
      'all arguments together must be {"to":"bob"}; a call with any other argument is still held',
      [{ path: '', op: 'equals', value: { to: 'bob' } }],
    ],
    ['no arguments: a call with any argument is still held', []],
  ])('%s', (text, constraints) => {
    expect(argumentsText(constraints)).toBe(text)
  })

  test('invisible characters are shown, and long values are cut', () => {
    const text = argumentsText([{ path: '/to', op: 'equals', value: `a\u202e${'b'.repeat(100)}` }])
    expect(text).not.toContain('\u202e')
    expect(text.length).toBeLessThan(150)
  })
})
