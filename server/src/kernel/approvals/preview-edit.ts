import type { EditPreviewAnswer } from '../contract/activity.ts'
import type { Caller } from '../contract/caller.ts'
import type { Json } from '../contract/json.ts'
import { ok, type Result } from '../contract/problems.ts'
import { strongWhereHidden } from './hidden-places.ts'
import { fieldChanges } from './field-changes.ts'
import { inSteps } from '../ports/in-steps.ts'
import { lookAlikeRecipients } from '../attempt/look-alike-recipients.ts'
import { judgeEdit, type JudgeEditPorts } from './edit-approval.ts'
import { showRequest } from './show-request.ts'

/** How a request with other inputs would be judged, like the edit itself but without a dry run and without a record. */
export async function previewEdit(
  deps: JudgeEditPorts,
  by: Caller,
  approval_id: string,
  args: Json,
): Promise<Result<EditPreviewAnswer>> {
  const judged = await judgeEdit(deps, by, approval_id, args)
  if (!judged.ok) return judged
  const { held, edited, prepared, verdict: said, facts } = judged.value
  const before = held.row.shown ?? (await showRequest(deps, held.row))
  const after = await showRequest(deps, edited)
  const { effect, strength, evidence } = strongWhereHidden(said, after.hidden, facts.now)
  const shownArgs = JSON.parse(after.args) as Json
  return ok({
    effect,
    ...(strength === undefined ? {} : { strength }),
    evidence,
    sentence: await inSteps(
      deps.yieldWhenDue,
      deps.sentence({
        tool_id: edited.tool_id,
        tool: prepared.tool,
        args: shownArgs,
        look_alikes: await lookAlikeRecipients(deps, edited, after.args),
      }),
    ),
    changes: fieldChanges(JSON.parse(before.args) as Json, shownArgs),
  })
}
