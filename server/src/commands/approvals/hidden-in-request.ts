import type { ApprovalRow, HiddenPlace } from '../../contract/approval.ts'
import type { Json } from '../../contract/json.ts'
import type { Verdict } from '../../contract/verdict.ts'
import { hiddenInPreview, hiddenPlaces } from '../../core/approvals/hidden-places.ts'
import type { Judgement } from '../calls/facts/load-judgement.ts'

export type HidingDeps = { readonly judgement: Pick<Judgement, 'secretRules' | 'outputRules'> }

/** Everything that redaction hides of a request; nothing where no person is asked. */
export function hiddenInRequest(
  { judgement: { secretRules, outputRules } }: HidingDeps,
  { effect }: Pick<Verdict, 'effect'>,
  row: Pick<ApprovalRow, 'canonical_args' | 'edited_from' | 'preview_raw'>,
): HiddenPlace[] {
  if (effect !== 'ask') return []
  const inArgs = (part: 'proposed_args' | 'edited_from', text: string | undefined) =>
    text === undefined ? [] : hiddenPlaces(part, JSON.parse(text) as Json, secretRules)
  const inPreview =
    row.preview_raw === undefined || outputRules === undefined ? [] : hiddenInPreview(row.preview_raw, outputRules)
  return [...inArgs('proposed_args', row.canonical_args), ...inArgs('edited_from', row.edited_from), ...inPreview]
}
