import type { ApprovalRow } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import type { CallId } from '../contract/ids.ts'
import { refuse, type Result } from '../contract/problems.ts'
import { mayContinue } from '../identity/grants.ts'
import { maySeeCall } from './read-call.ts'
import { endApproval, type EndPorts } from '../approvals/end-approval.ts'
import { isAskedAbout } from './close-call.ts'

/**
 * For a cancelled run: ends the request that its call waits for, including one that replaced another by an edit. A call that
 * somebody has decided about continues. Returns the state of the call.
 */
export async function withdrawHeld(deps: EndPorts, call_id: CallId, by: string): Promise<string> {
  const call = (await deps.tables.row('calls', call_id))?.row
  if (call?.approval_id === undefined || !isAskedAbout(call)) return call?.state ?? 'absent'
  const held = await deps.tables.row('approvals', call.approval_id)
  if (held === undefined) return 'later'
  const ended = await endApproval(deps, held, by, 'withdraw')
  if (ended.ok) return 'refused'
  // Approved and not yet started: the driver continues it.
  return held.row.state === 'approved' ? 'approved' : 'later'
}

/** A caller withdraws its own held call, or the retry of it: nobody needs to decide about it any more. */
export async function withdrawCall(deps: EndPorts, by: Caller, call_id: string): Promise<Result<ApprovalRow>> {
  const call = await deps.tables.row('calls', call_id)
  const isOwn = call !== undefined && (mayContinue(by, call.row.caller) || by.kind === 'admin')
  if (!isOwn || !maySeeCall(by, call.row)) return refuse('call.unknown', { call_id })
  const held = call.row.approval_id === undefined ? undefined : await deps.tables.row('approvals', call.row.approval_id)
  if (held === undefined || !isAskedAbout(call.row))
    return refuse('call.not_pending', { call_id, state: call.row.state })
  return endApproval(deps, held, by.id, 'withdraw')
}
