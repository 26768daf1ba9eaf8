import type { Call } from '../../contract/call.ts'
import type { Opinion } from '../../contract/verdict.ts'
import type { BudgetFact } from './budgets/budgets.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'

/**
 * What is used up stays used up until its period ends. Silent while there is enough: the units are taken by the commit that
 * starts the call, so this is the answer for people, and the ledger is the one that counts.
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

/** INVARIANT: exactly what `spend` of the ledger would lose. */
export const isOver = ({ left, needs }: BudgetFact): boolean => left < needs

/** When every budget that stands in the way has a new period; undefined when one of them never has. */
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
