import { budgetFacts } from '../../decide/facts/budget-facts.ts'
import { historyFact } from '../../decide/facts/history-fact.ts'
import type { Fact } from '../../decide/judging.ts'
import { countApprovers } from '../../identity/count-approvers.ts'

/** The kernel's facts that may have to be read. Those of guests follow. */
export const KERNEL_FACTS: readonly Fact[] = [
  // Only presets use this number, and only for critical risk.
  { name: 'approvers', gather: (deps, _, { risk }) => (risk === 'critical' ? countApprovers(deps) : undefined) },
  { name: 'budgets', gather: budgetFacts },
  { name: 'history', gather: historyFact },
]
