import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Facts } from './facts.ts'
import { identityOf } from './identity-of.ts'
import { judgeRepetition, type HistoryFact } from './judge-repetition.ts'
import { compilePolicy } from './policy/compile-policy.ts'
import { callWith, quietFacts, strictness } from './quiet-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value
const judge = (history: Facts['history']) => judgeRepetition(policy, callWith({}), { ...quietFacts(), history })
const history = (more: Partial<HistoryFact>): HistoryFact => ({
  rejections: [],
  earlier: 0,
  limits: { most: 5, within_s: 600 },
  ...more,
})
const no = { approval_id: 'auth_0000000000000001', by: 'approver:bob' }

describe('the same call again', () => {
  test('is blocked after a person`s no, who is named', () => {
    expect(judge(history({ rejections: [no] }))).toEqual([
      {
        decider: 'repetition',
        effect: 'block',
        rule: 'repetition.rejected',
        says: 'approver:bob rejected this same call in this thread (auth_0000000000000001)',
        source: 'thread `t1`',
        at: 1,
      },
    ])
  })

  test('is asked about from the operator`s number on', () => {
    expect(judge(history({ earlier: 3 }))).toEqual([])
    expect(judge(history({ earlier: 4 }))).toMatchObject([
      { effect: 'ask', strength: 'simple', rule: 'repetition.loop' },
    ])
    expect(judge(history({ earlier: 1, limits: { most: 2, within_s: 1 } }))).toMatchObject([{ effect: 'ask' }])
  })

  test('law: what cannot be read is not let through, and a longer history never loosens', () => {
    expect(strictness(judge('unknown'))).toBe(2)
    const some = fc.record({ earlier: fc.nat(10), rejections: fc.array(fc.constant(no), { maxLength: 2 }) })
    fc.assert(
      fc.property(some, fc.nat(3), fc.boolean(), (one, more, rejected) => {
        const longer = { earlier: one.earlier + more, rejections: rejected ? [...one.rejections, no] : one.rejections }
        expect(strictness(judge(history(longer)))).toBeGreaterThanOrEqual(strictness(judge(history(one))))
        if (longer.rejections.length > 0) expect(strictness(judge(history(longer)))).toBe(2)
      }),
    )
  })

  test('law: two calls are the same exactly when thread, tool and arguments are', () => {
    const part = fc.constantFrom('a', 'b', 'a b', 'a","b', '')
    const parts = fc.record({ thread: part, tool_id: part, args_hash: part })
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const isSame = one.thread === two.thread && one.tool_id === two.tool_id && one.args_hash === two.args_hash
        expect(identityOf(one) === identityOf(two)).toBe(isSame)
      }),
    )
  })
})
