import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BudgetFact } from './budgets.ts'
import type { Facts } from './facts.ts'
import { freesAt, judgeBudget } from './judge-budget.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import { callWith, neutralFacts, strictness } from './neutral-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value
const judge = (budgets: Facts['budgets']) =>
  judgeBudget(policy, callWith({}), { ...neutralFacts(), now: 1000, budgets })

const fact = (more: Partial<BudgetFact>): BudgetFact => ({
  budget: 'mail',
  measure: 'calls',
  per: 'hour',
  account: 'budget x',
  limit: 10,
  needs: 1,
  left: 10,
  opened: true,
  frees_at: 61_000,
  ...more,
})

describe('a budget', () => {
  test('has no opinion while enough is left, down to the last unit', () => {
    expect(judge([fact({}), fact({ left: 1 }), fact({ needs: 10 })])).toEqual([])
  })

  test('that is used up blocks and says when its next period starts', () => {
    expect(judge([fact({ left: 0 })])).toEqual([
      {
        decider: 'budget',
        effect: 'block',
        rule: 'budget.mail',
        says: 'the budget `mail` has 0 of 10 calls per hour left, and this call needs 1; the next period starts in 60 s',
        source: 'budget mail',
        at: 1000,
      },
    ])
    const run = fact({ measure: 'cost', left: 2, needs: 3, per: 'run' })
    const { frees_at: _, ...forEver } = run
    expect(judge([forEver]).map(({ says }) => says)).toEqual([
      'the budget `mail` has 2 of 10 units of cost per run left, and this call needs 3',
    ])
    expect(judge([fact({ needs: 11 })])[0]?.says).toContain('more than the whole budget')
  })

  test('that cannot be read blocks', () => {
    expect(judge('unknown')).toMatchObject([{ effect: 'block', rule: 'budget.unknown' }])
  })

  test('says when the last blocking budget starts a new period, or nothing if one of them never does', () => {
    const { frees_at: _, ...forEver } = fact({ left: 0 })
    expect(freesAt([fact({ left: 0, frees_at: 5 }), fact({ left: 0, frees_at: 9 }), fact({ frees_at: 99 })])).toBe(9)
    expect(freesAt([fact({ left: 0 }), forEver])).toBeUndefined()
    expect(freesAt([fact({ needs: 11 })])).toBeUndefined()
    expect(freesAt([fact({})])).toBeUndefined()
    expect(freesAt('unknown')).toBeUndefined()
  })

  test('law: it blocks exactly when the ledger would refuse to spend the units, and one more budget never loosens', () => {
    const facts = fc.array(
      fc.record({ left: fc.nat(5), needs: fc.integer({ min: 1, max: 5 }) }).map((more) => fact(more)),
    )
    fc.assert(
      fc.property(facts, facts, (some, more) => {
        const isOver = some.some(({ left, needs }) => needs > left)
        expect(strictness(judge(some))).toBe(isOver ? 2 : 0)
        expect(strictness(judge([...some, ...more]))).toBeGreaterThanOrEqual(strictness(judge(some)))
      }),
    )
  })
})
