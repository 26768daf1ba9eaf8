import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { Policy } from '../policy/policy.ts'
import { sayDeclaredRead } from '../attempt/declared-read.ts'
import { describeJudgement } from '../policy/describe-judgement.ts'
import { type StandardSentences, standardOf, type SiblingDeps } from '../attempt/standard/rollback.ts'
import { toolCard, type ToolCard } from './card.ts'
import { nearestTool } from '../text/nearest-tool.ts'
import type { VisibleTools } from './visible-tools.ts'

/**
 * `asked`: how a call will be judged, before its arguments are known. `declared_read`: set if the operator declared that the tool
 * only reads.
 */
export type Card = ToolCard & StandardSentences & { readonly asked: string; readonly declared_read?: string }

export type CardPorts = SiblingDeps & { readonly visibleTools: VisibleTools; readonly policy: () => Policy }

/**
 * Everything needed to call a tool once, how it will be judged, and how it is executed: what undoes it, what is checked before
 * and read back after.
 */
export function readCard(deps: CardPorts, caller: Caller, tool_id: string, full: boolean): Result<Card> {
  const tool = deps.visibleTools.tool(caller, tool_id)
  if (tool === undefined) {
    const did_you_mean = nearestTool(tool_id, deps.visibleTools.tools(caller))
    return refuse('tool.unknown', { tool: tool_id, ...(did_you_mean === undefined ? {} : { did_you_mean }) })
  }
  if (tool.row.gone_at !== undefined) return refuse('tool.gone', { tool: tool_id })
  // Cards are for models, whoever's key a model uses.
  if (tool.row.admitted === undefined) return refuse('tool.unadmitted', { tool: tool_id })
  const declared_read = sayDeclaredRead(tool)
  const beside = {
    asked: describeJudgement(deps.policy(), caller, tool),
    ...(declared_read === undefined ? {} : { declared_read }),
    ...standardOf(deps, caller, tool),
  }
  return ok({ ...toolCard(tool, { full, beside }), ...beside })
}
