import type { Call } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import type { ApprovalFact, Facts } from '../../core/gate/facts.ts'
import { pauseScopesOf } from '../../core/gate/judge-pause.ts'
import { budgetFacts, type BudgetDeps } from './facts/budget-facts.ts'
import { filesFact, type FilesDeps } from './facts/files-fact.ts'
import { healthFact, type HealthDeps } from './facts/health-fact.ts'
import { historyFact, type HistoryDeps } from './facts/history-fact.ts'
import { settingsOf } from './facts/load-judgement.ts'
import { lookAlikesOf } from './facts/look-alikes.ts'
import { trapFacts } from './facts/trap-facts.ts'
import type { Catalogue, Clock } from '../ports.ts'

export type FactsDeps = BudgetDeps &
  FilesDeps &
  HealthDeps &
  HistoryDeps & { readonly catalogue: Catalogue; readonly clock: Clock }

/** What only the moment knows: how the caller's own hash compared, and a person's decision if there is one. */
export type Moment = {
  readonly integrity: Facts['integrity']
  readonly approval?: ApprovalFact
}

const CAREFUL = { secrets: 'block', pii: 'ask' } as const

/** Everything a decision looks at. A fact that cannot be had is `unknown`, and the deciders know what that means. */
export async function gatherFacts(deps: FactsDeps, call: Call, tool: Tool, told: Moment): Promise<Facts> {
  const now = deps.clock()
  const { judgement } = deps
  const settings = settingsOf(judgement, tool)
  // No run that calls has a lane yet, so nobody is in one. Labels are not kept yet, so they are unknown.
  const lane = null
  return {
    now,
    tool,
    tags: settings?.tags ?? [],
    lane,
    pauses: await pausesFor(deps, call),
    look_alikes: lookAlikesOf(deps, tool),
    files: await filesFact(deps, call, tool),
    traps: await trapFacts(deps),
    content: { ...(settings?.content ?? CAREFUL), rules: judgement.rules },
    budgets: await budgetFacts(deps, call, tool, now),
    history: await historyFact(deps, call),
    health: await healthFact(deps, call, tool, now),
    ...told,
  }
}

/** Read by their names: however many callers are in quarantine, none of them is beyond the end of a page. */
async function pausesFor(deps: FactsDeps, call: Call): Promise<Facts['pauses']> {
  try {
    const held = await Promise.all(pauseScopesOf(call).map((scope) => deps.shelves.row('pauses', scope)))
    return held.flatMap((pause) => (pause?.row.active === true ? [pause.row] : []))
  } catch {
    return 'unknown'
  }
}
