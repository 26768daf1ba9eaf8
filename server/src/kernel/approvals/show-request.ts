import type { ApprovalRow, HiddenPlace, ShownRequest } from '../contract/approval.ts'
import type { Judgement } from '../decide/judging.ts'

/** A request as approvers see it: without its secrets, with escapes for invisible characters, and with what redaction hides. */
export async function showRequest(
  { judgement: { scanner } }: { readonly judgement: Pick<Judgement, 'scanner'> },
  { canonical_args, edited_from, preview_raw }: Pick<ApprovalRow, 'canonical_args' | 'edited_from' | 'preview_raw'>,
): Promise<ShownRequest> {
  const proposed = await scanner.shownArgs(canonical_args)
  const before = edited_from === undefined ? undefined : await scanner.shownArgs(edited_from)
  const inPreview = preview_raw === undefined ? [] : await scanner.hiddenInPreview(preview_raw)
  const ofBefore = (before?.hidden ?? []).map((place): HiddenPlace => ({ ...place, in: 'edited_from' }))
  return {
    args: await scanner.visible(proposed.args),
    visible: true,
    ...(before === undefined ? {} : { edited_from: await scanner.visible(before.args) }),
    hidden: [...proposed.hidden, ...ofBefore, ...inPreview],
  }
}
