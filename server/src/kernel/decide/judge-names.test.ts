import { expect, test } from 'vitest'
import type { Call } from '../contract/call.ts'
import { canonicalJson } from '../json/canonical.ts'
import type { Facts } from './facts.ts'
import { judgeNames } from './judge-names.ts'
import type { Policy } from '../policy/policy.ts'

const judged = (args: object) => {
  const canonical = canonicalJson(args as never)
  if (!canonical.ok) throw new Error('not JSON')
  return judgeNames({} as Policy, { canonical_args: canonical.value } as Call, { now: 1 } as Facts)
}

test.each<[string, object]>([
  ['letter case', { Amount: 5000, amount: 1 }],
  ['full-width letters', { amount: 1, ａｍｏｕｎｔ: 5000 }],
  ['an invisible character', { amount: 1, 'amo\u200bunt': 5000 }],
  ['a composed letter', { café: 1, 'cafe\u0301': 2 }],
  ['a long s', { hash: 1, 'ha\u017fh': 2 }],
  ['a dotless i', { id: 1, '\u0131d': 2 }],
])('two arguments that differ only in %s are blocked', (_, args) => {
  expect(judged(args)).toMatchObject([{ effect: 'block', rule: 'names.same' }])
  expect(judged({ lines: [{ of: args }] })).toMatchObject([{ effect: 'ask', rule: 'names.same' }])
})

test.each<[string, object]>([
  ['one name in two objects', { a: { Amount: 1 }, b: { amount: 2 }, amount: 3 }],
  ['camel case', { userId: 1, user_id: 2, userIds: [] }],
  ['letters with different accents', { resume: 1, resumé: 2 }],
  ['a list', { of: [[], [1, '1'], 'A', 'a'] }],
])('%s is not the same name', (_, args) => {
  expect(judged(args)).toEqual([])
})

test('what a caller names is shown without invisible characters', () => {
  const [opinion] = judged({ 'a\u202e': 1, A: 2 })
  expect(opinion?.says).not.toContain('\u202e')
})
