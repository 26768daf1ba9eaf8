import type { ApprovalRow } from '../../contract/approval.ts'
import type { Caller } from '../../contract/caller.ts'
import { refuse, type Result } from '../../contract/problems.ts'
import { isSameCaller } from '../../contract/caller-identity.ts'
import { maySeeCall } from './read-call.ts'
import { endApproval, type EndDeps } from '../approvals/end-approval.ts'

/** A caller withdraws its own held call: nobody needs to decide about it any more. */
export async function withdrawCall(deps: EndDeps, by: Caller, call_id: string): Promise<Result<ApprovalRow>> {
  const call = await deps.shelves.row('calls', call_id)
  const isOwn = call !== undefined && (isSameCaller(call.row.caller, by) || by.kind === 'admin')
  if (!isOwn || !maySeeCall(by, call.row)) return refuse('call.unknown', { call_id })
  const held =
    call.row.approval_id === undefined ? undefined : await deps.shelves.row('approvals', call.row.approval_id)
  if (held === undefined || call.row.state !== 'pending')
    return refuse('call.not_pending', { call_id, state: call.row.state })
  return endApproval(deps, held, by.id, 'withdraw')
}
