import type { ApprovalState } from '../contract/approval.ts'
import type { ApprovalId } from '../contract/ids.ts'
import { Bug } from '../contract/problems.ts'
import { endApproval, type EndDeps } from './end-approval.ts'

export type ExpireDeps = EndDeps

/**
 * The request has expired. If somebody decided a moment before, or on a node whose clock is behind, that decision counts. Resolves
 * with what the request is now.
 */
export async function expireApproval(deps: ExpireDeps, approval_id: ApprovalId): Promise<ApprovalState | 'later'> {
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) throw new Bug(`a run refers to the absent approval \`${approval_id}\``)
  if (held.row.state !== 'pending') return held.row.state
  const ended = await endApproval(deps, held, 'gate', 'expire')
  if (ended.ok) return 'expired'
  return ['audit.unavailable', 'audit.in_doubt'].includes(ended.problem.code)
    ? 'later'
    : expireApproval(deps, approval_id)
}
