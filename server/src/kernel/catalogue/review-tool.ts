import type { Caller, CallerKind } from '../contract/caller.ts'
import type { DefinitionReview } from '../contract/definition-review.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { reviewDefinition } from './review-definition.ts'
import type { VisibleTools } from './visible-tools.ts'

/** Who may read definitions that nobody has admitted. */
const REVIEWERS: readonly CallerKind[] = ['admin', 'approver', 'reviewer']

/** The admitted and the listed definition of one tool. Never for an agent: a definition that is not admitted reaches no model. */
export function reviewTool(
  { visibleTools }: { readonly visibleTools: VisibleTools },
  caller: Caller,
  tool_id: string,
): Result<DefinitionReview> {
  if (!REVIEWERS.includes(caller.kind)) return refuse('auth.forbidden', { needs: REVIEWERS.join(', ') })
  const tool = visibleTools.tool(caller, tool_id)
  return tool === undefined ? refuse('tool.unknown', { tool: tool_id }) : ok(reviewDefinition(tool.row))
}
