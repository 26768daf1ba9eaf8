import type { Call } from '../contract/call.ts'
import type { Budget, BudgetMatch } from '../contract/budgets.ts'
import { callerIdentity, sessionIdentity } from '../contract/caller-identity.ts'
import { matchesGlob, parseGlob, type Glob } from '../policy/glob.ts'

const MILLISECONDS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

export type CompiledBudget = {
  readonly budget: Budget
  readonly match: readonly { readonly field: keyof BudgetMatch; readonly any: readonly Glob[] }[]
}

export function compileBudget(budget: Budget): CompiledBudget {
  const fields = ['caller', 'tool', 'server', 'thread'] as const
  const match = fields.flatMap((field) => {
    const patterns = budget.match[field]
    return patterns === undefined ? [] : [{ field, any: patterns.map(parseGlob) }]
  })
  return { budget, match }
}

/** What one call would spend, from which budget, and from which ledger account. */
export type BudgetCharge = {
  readonly budget: string
  readonly measure: 'calls' | 'cost'
  readonly per: Budget['per']
  readonly account: string
  readonly limit: number
  readonly needs: number
  /** When the account's period ends; absent for a run's budget, which is never refilled. */
  readonly frees_at?: number
}

/** The same, with the account's balance. `left` is the full limit until the account is opened. */
export type BudgetFact = BudgetCharge & { readonly left: number; readonly opened: boolean }

/**
 * The budgets a call spends from. Periods start at whole minutes, hours and days since 1970 in UTC; a run is a thread of one
 * caller.
 * INVARIANT: the account id depends only on the budget, the measure, the period and whom it is counted for.
 */
export function chargesFor(budgets: readonly CompiledBudget[], call: Call, cost: number, now: number): BudgetCharge[] {
  const names = { caller: call.caller.id, tool: call.tool_id, server: call.server, thread: call.thread }
  return budgets
    .filter(({ match }) => match.every(({ field, any }) => any.some((glob) => matchesGlob(glob, names[field]))))
    .flatMap(({ budget }) => chargesOf(budget, call, cost, now))
    .filter(({ needs }) => needs > 0)
}

function chargesOf(budget: Budget, call: Call, cost: number, now: number): BudgetCharge[] {
  const { id, per, calls } = budget
  const period = periodOf(per, call, now)
  const apart = APART.filter((field) => budget.each.includes(field)).map((field) => [field, valueOf(field, call)])
  const charge = (measure: BudgetCharge['measure'], limit: number | undefined, needs: number): BudgetCharge[] => {
    if (limit === undefined) return []
    const account = `budget ${JSON.stringify([id, measure, per, period.name, apart])}`
    const ends = period.ends === undefined ? {} : { frees_at: period.ends }
    return [{ budget: id, measure, per, account, limit, needs, ...ends }]
  }
  return [...charge('calls', calls, 1), ...charge('cost', budget.cost, cost)]
}

const APART = ['caller', 'user', 'tool', 'server', 'thread'] as const

function valueOf(field: (typeof APART)[number], call: Call): string {
  const { caller } = call
  return {
    caller: callerIdentity(caller),
    user: caller.user,
    tool: call.tool_id,
    server: call.server,
    thread: sessionIdentity(caller, call.thread),
  }[field]
}

function periodOf(per: Budget['per'], call: Call, now: number): { name: string; ends?: number } {
  // Callers choose thread names. The caller is part of the name, so nobody can use up the budget of another caller's thread.
  if (per === 'run') return { name: sessionIdentity(call.caller, call.thread) }
  const length = MILLISECONDS[per]
  const number = Math.floor(now / length)
  return { name: String(number), ends: (number + 1) * length }
}
