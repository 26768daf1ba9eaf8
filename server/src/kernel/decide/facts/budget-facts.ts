import type { Call } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Verdict } from '../../contract/verdict.ts'
import { chargesFor, type BudgetFact, type BudgetCharge } from '../budgets.ts'
import type { Facts } from '../facts.ts'
import { isOver } from '../judge-budget.ts'
import type { Change } from '../../ports/ledger.ts'
import type { Accounts } from '../../ports/reads.ts'
import { settingsOf, type Judgement } from '../judging.ts'

/** The budgets a call spends from, with what is left of them. */
export function budgetFacts(
  { judgement, accounts }: { readonly accounts: Accounts; readonly judgement: Judgement },
  call: Call,
  tool: Tool,
  now: number,
): Facts['budgets'] | Promise<Facts['budgets']> {
  if (judgement.budgets.length === 0) return NO_BUDGETS
  return lookInto(accounts, chargesFor(judgement.budgets, call, settingsOf(judgement, tool)?.cost ?? 1, now))
}

const NO_BUDGETS: readonly BudgetFact[] = []

async function lookInto(accounts: Accounts, charges: readonly BudgetCharge[]): Promise<Facts['budgets']> {
  try {
    return await Promise.all(
      charges.map(async (charge): Promise<BudgetFact> => {
        const left = await accounts.left(charge.account)
        return { ...charge, left: left ?? charge.limit, opened: left !== undefined }
      }),
    )
  } catch {
    return 'unknown'
  }
}

/**
 * What a starting call spends, for the commit that starts it. In observe mode, used-up budgets are not spent from.
 * INVARIANT: if callers race for the last units, the ledger lets one through; the others' commits are lost as a whole.
 */
export function spendChanges(verdict: Verdict, budgets: Facts['budgets']): Change[] {
  if (verdict.effect !== 'allow' || budgets === 'unknown') return []
  return budgets
    .filter((fact) => !isOver(fact))
    .flatMap(({ account, needs, limit, opened, frees_at }): Change[] => {
      const until = frees_at === undefined ? {} : { until: frees_at }
      const spend: Change = { kind: 'spend', account, units: needs }
      return opened ? [spend] : [{ kind: 'open', account, units: limit, ...until }, spend]
    })
}
