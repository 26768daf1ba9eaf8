import type { ApprovalRow, ApprovalState } from '../contract/approval.ts'
import { ok, problem, refuse, type Result, type Problem, Bug } from '../contract/problems.ts'
import { expire, withdraw } from './transitions.ts'
import { closeCall, heldCallOf } from '../attempt/close-call.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { ApprovalId } from '../contract/ids.ts'

export type EndPorts = { readonly tables: Tables; readonly ledger: Ledger; readonly clock: Clock }

/** Ends a request that nobody decided, and its call with it. */
export async function endApproval(
  deps: EndPorts,
  held: Stored<'approvals'>,
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

const UNRECORDED: readonly string[] = ['audit.unavailable', 'audit.in_doubt']

/**
 * Refuses a decision. If the request has expired, the expiry is recorded first, without waiting for its timer.
 * INVARIANT: once somebody was told that a request has expired, it stays expired, even if the clock is set back afterwards.
 */
export async function refuseDecision(
  deps: EndPorts,
  held: Stored<'approvals'> | undefined,
  problem: Problem,
): Promise<Result<never>> {
  const isOver =
    problem.code === 'approval.expired' && held?.row.state === 'pending' && deps.clock() >= held.row.expires_at
  if (!isOver) return { ok: false, problem }
  const ended = await endApproval(deps, held, 'gate', 'expire')
  // Somebody else may have ended it a moment before: then that is what the next answer says.
  const isLost = !ended.ok && UNRECORDED.includes(ended.problem.code)
  return { ok: false, problem: isLost ? ended.problem : problem }
}

/**
 * The request has expired. If somebody decided a moment before, or on a node whose clock is behind, that decision counts. Resolves
 * with what the request is now.
 */
export async function expireApproval(deps: EndPorts, approval_id: ApprovalId): Promise<ApprovalState | 'later'> {
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) throw new Bug(`a run refers to the absent approval \`${approval_id}\``)
  if (held.row.state !== 'pending') return held.row.state
  const ended = await endApproval(deps, held, 'gate', 'expire')
  if (ended.ok) return 'expired'
  return UNRECORDED.includes(ended.problem.code) ? 'later' : expireApproval(deps, approval_id)
}
