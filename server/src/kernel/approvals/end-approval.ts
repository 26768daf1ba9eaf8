import type { ApprovalRow } from '../contract/approval.ts'
import { ok, problem, refuse, type Result } from '../contract/problems.ts'
import { expire, withdraw } from './transitions.ts'
import { closeCall, heldCallOf } from '../attempt/close-call.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Held, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type EndDeps = { readonly tables: Tables; readonly ledger: Ledger; readonly clock: Clock }

/** Ends a request that nobody decided, and its call with it. */
export async function endApproval(
  deps: EndDeps,
  held: Held<'approvals'>,
  actor: string,
  as: 'withdraw' | 'expire',
): Promise<Result<ApprovalRow>> {
  const moved = as === 'withdraw' ? withdraw(held.row, deps.clock()) : expire(held.row, deps.clock())
  if (!moved.ok) return moved
  const call = await heldCallOf(deps.tables, held.row)
  const why = problem(as === 'withdraw' ? 'approval.withdrawn' : 'approval.expired', {
    approval_id: held.row.approval_id,
  })
  const recorded = await deps.ledger.commit(closeCall({ held, to: moved.value }, call, why, actor, deps.clock()))
  if (recorded === 'committed') return ok(moved.value)
  const about = { approval_id: held.row.approval_id }
  return isUnrecorded(recorded) ? refuseUnrecorded(recorded, about) : refuse('approval.not_pending', about)
}
