import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolEffect } from '../contract/tool.ts'
import type { Facts } from './facts.ts'
import { identityOf } from '../attempt/call-changes.ts'
import type { HistoryFact } from './facts.ts'
import { judgeRepetition } from './judge-repetition.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { callWith, neutralFacts, strictness, toolWith } from './neutral-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value
const judge = (history: Facts['history'], effects: readonly ToolEffect[] = ['write']) =>
  judgeRepetition(policy, callWith({}), { ...neutralFacts(toolWith({}, effects)), history })
const history = (more: Partial<HistoryFact>): HistoryFact => ({
  rejections: [],
  earlier: 0,
  limits: { most: 5, within_s: 600, denied_for: 86_400 },
  ...more,
})
const no = { approval_id: 'auth_0000000000000001', by: 'approver:bob', until: '2026-11-16T00:00:00.000Z' }

describe('the same call again', () => {
  test('is blocked after a person rejected it, saying who did, why, and until when the rejection applies', () => {
    expect(judge(history({ rejections: [{ ...no, reason: 'not on a Sunday' }] }))).toEqual([
      {
        decider: 'repetition',
        effect: 'block',
        rule: 'repetition.rejected',
        says: 'approver:bob denied this exact call (auth_0000000000000001), and the denial applies until 2026-11-16T00:00:00.000Z; the reason given: not on a Sunday',
        source: 'caller agent:a',
        at: 1,
      },
    ])
  })

  test("is asked about once it reaches the operator's limit", () => {
    expect(judge(history({ earlier: 3 }))).toEqual([])
    expect(judge(history({ earlier: 4 }))).toMatchObject([
      { effect: 'ask', strength: 'simple', rule: 'repetition.loop' },
    ])
    expect(judge(history({ earlier: 1, limits: { most: 2, within_s: 1, denied_for: 1 } }))).toMatchObject([
      { effect: 'ask' },
    ])
  })

  test('gives a hint to a model that only reads, and is asked about at ten times that limit', () => {
    const reads = (earlier: number) => judge(history({ earlier }), ['read'])
    expect(reads(3)).toEqual([])
    expect(reads(4)).toMatchObject([{ effect: 'allow', rule: 'repetition.hint' }])
    expect(reads(48)).toMatchObject([{ effect: 'allow', rule: 'repetition.hint' }])
    expect(reads(49)).toMatchObject([{ effect: 'ask', strength: 'simple', rule: 'repetition.loop' }])
    expect(judge(history({ earlier: 4 }), ['read', 'external'])).toMatchObject([{ effect: 'ask' }])
  })

  test('law: an unreadable history never passes, and a longer history never loosens', () => {
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

  test('law: two calls are the same exactly when caller, user, tool and arguments are, whatever the thread', () => {
    const part = fc.constantFrom('a', 'b', 'a b', 'a","b', '')
    const caller = fc.record({ kind: fc.constant('agent' as const), id: part, user: part })
    const parts = fc.record({ caller, thread: part, tool_id: part, args_hash: part })
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const textOf = ({ caller: { id, user }, tool_id, args_hash }: typeof one) =>
          JSON.stringify({ id, user, tool_id, args_hash })
        const isSame = textOf(one) === textOf(two)
        expect(identityOf(one) === identityOf(two)).toBe(isSame)
      }),
    )
  })
})
