import type { Call } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import type { ApprovalFact, Facts } from '../core/gate/facts.ts'
import { isPausedBy } from '../core/gate/judge-pause.ts'
import type { Clock, Shelves } from './ports.ts'

export type FactsDeps = { readonly shelves: Shelves; readonly clock: Clock }

/** What only the moment knows: how the caller's own hash compared, and a person's decision if there is one. */
export type Moment = { readonly integrity: Facts['integrity']; readonly approval?: ApprovalFact }

const MOST_PAUSES = 1000

/** Everything a decision looks at. A fact that cannot be had is `unknown`, and the deciders know what that means. */
export async function gatherFacts(deps: FactsDeps, call: Call, tool: Tool, moment: Moment): Promise<Facts> {
  return { now: deps.clock(), tool, pauses: await pausesFor(deps, call), ...moment }
}

async function pausesFor(deps: FactsDeps, call: Call): Promise<Facts['pauses']> {
  try {
    const held = await deps.shelves.list('pauses', {}, { limit: MOST_PAUSES })
    return held.map(({ row }) => row).filter((pause) => pause.active && isPausedBy(pause.scope, call))
  } catch {
    return 'unknown'
  }
}
