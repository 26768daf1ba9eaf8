import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { BudgetFact } from './budgets.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/**
 * A used-up budget stays used up until its period ends. No opinion while enough is left: the commit that starts the call takes
 * the units, so this decider only explains, and the ledger enforces.
 */
export function judgeBudget(_policy: Policy, _call: Call, facts: Facts): Opinion[] {
  if (facts.budgets === 'unknown') {
    const says = 'the remaining budgets could not be read'
    return [{ decider: 'budget', effect: 'block', rule: 'budget.unknown', says, source: 'store', at: facts.now }]
  }
  return facts.budgets.filter(isOver).map((fact) => ({
    decider: 'budget',
    effect: 'block',
    rule: `budget.${fact.budget}`,
    says: sayOver(fact, facts.now),
    source: `budget ${fact.budget}`,
    at: facts.now,
  }))
}

/** INVARIANT: true exactly when `spend` of the ledger would be lost. */
export const isOver = ({ left, needs }: BudgetFact): boolean => left < needs

/** When all budgets that block the call have started a new period; undefined if one of them never does. */
export function freesAt(budgets: Facts['budgets']): number | undefined {
  if (budgets === 'unknown') return undefined
  const ends = budgets.filter(isOver).map(endOf)
  const last = Math.max(...ends)
  return Number.isFinite(last) ? last : undefined
}

const endOf = ({ needs, limit, frees_at }: BudgetFact): number => (needs > limit ? undefined : frees_at) ?? Infinity

function sayOver(fact: BudgetFact, now: number): string {
  const { budget, measure, needs, limit, left, per } = fact
  const what = `the budget \`${budget}\` has ${left} of ${limit} ${measure === 'calls' ? 'calls' : 'units of cost'} per ${per} left`
  const wants = `this call needs ${needs}`
  const end = endOf(fact)
  if (needs > limit) return `${what}, and ${wants}: more than the whole budget`
  return Number.isFinite(end)
    ? `${what}, and ${wants}; the next period starts in ${Math.ceil((end - now) / 1000)} s`
    : `${what}, and ${wants}`
}
