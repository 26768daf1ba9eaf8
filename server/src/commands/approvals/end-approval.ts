import type { ApprovalRow } from '../../contract/approval.ts'
import { ok, problem, refuse, type Result } from '../../contract/problems.ts'
import { expire, withdraw } from '../../core/approvals/transitions.ts'
import { closeCall, heldCallOf } from '../calls/close-call.ts'
import type { Clock, Held, Ledger, Shelves } from '../ports.ts'

export type EndDeps = { readonly shelves: Shelves; readonly ledger: Ledger; readonly clock: Clock }

/** A request that nobody decided ends, and its call with it. */
export async function endApproval(
  deps: EndDeps,
  held: Held<'approvals'>,
  actor: string,
  as: 'withdraw' | 'expire',
): Promise<Result<ApprovalRow>> {
  const moved = as === 'withdraw' ? withdraw(held.row, deps.clock()) : expire(held.row, deps.clock())
  if (!moved.ok) return moved
  const call = await heldCallOf(deps.shelves, held.row)
  const why = problem(as === 'withdraw' ? 'approval.withdrawn' : 'approval.expired', {
    approval_id: held.row.approval_id,
  })
  const recorded = await deps.ledger.commit(closeCall({ held, to: moved.value }, call, why, actor, deps.clock()))
  if (recorded === 'committed') return ok(moved.value)
  return refuse(recorded === 'unavailable' ? 'audit.unavailable' : 'approval.not_pending', {
    approval_id: held.row.approval_id,
  })
}
