import { describe, expect, test } from 'vitest'
import { boundsOf, constraintOf, secondsOf } from './consent-words.ts'

describe('the words of a consent', () => {
  test.each([
    ['90s', 90],
    ['30m', 1_800],
    ['2h', 7_200],
    ['7d', 604_800],
    ['2', undefined],
    ['h', undefined],
    ['2 h', undefined],
    ['-2h', undefined],
    ['2w', undefined],
  ])('`%s` is %s seconds', (text, seconds) => expect(secondsOf(text)).toBe(seconds))

  test.each([
    ['10 calls for 2h', { calls: 10, expires_in_s: 7_200 }],
    ['1 call for 30m', { calls: 1, expires_in_s: 1_800 }],
    ['{"calls":1,"expires_in_s":9,"args":[]}', { calls: 1, expires_in_s: 9, args: [] }],
    ['10', undefined],
    ['calls for 2h', undefined],
    ['10 calls', undefined],
    ['{nonsense', undefined],
  ])('`%s` bounds a consent', (text, bounds) => expect(boundsOf(text)).toEqual(bounds))

  test.each([
    ['/to equals "bob"', { path: '/to', op: 'equals', value: 'bob' }],
    ['/to equals bob and eve', { path: '/to', op: 'equals', value: 'bob and eve' }],
    ['/n max 10', { path: '/n', op: 'max', value: 10 }],
    ['/to in ["a","b"]', { path: '/to', op: 'in', value: ['a', 'b'] }],
    ['/text any', { path: '/text', op: 'any' }],
    ['to equals bob', undefined],
    ['/to', undefined],
  ])('`%s` is a constraint', (text, constraint) => expect(constraintOf(text)).toEqual(constraint))
})
