import type { ApprovalId } from '../contract/ids.ts'
import { Bug } from '../contract/problems.ts'
import { escalate } from './transitions.ts'
import { auditOf } from '../attempt/call-changes.ts'
import { approvalMoved, heldCallOf } from '../attempt/close-call.ts'
import { isUnrecorded } from '../changes/unrecorded.ts'
import type { EndPorts } from './end-approval.ts'

/** The event of a commit that asks more people: channels and browsers notify them. */
export const ESCALATED = 'approval.escalated'

/** Too few people have decided in time: from this commit on another group is asked too. Happens once, however often it is tried. */
export async function escalateApproval(
  deps: EndPorts,
  approval_id: ApprovalId,
): Promise<'escalated' | 'nothing' | 'later'> {
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined) throw new Bug(`a run refers to the absent approval \`${approval_id}\``)
  const now = deps.clock()
  const to = escalate(held.row, now)
  if (to === undefined) return 'nothing'
  const call = await heldCallOf(deps.tables, to)
  const about = { route: to.route?.id ?? '', to: to.route?.escalation?.to ?? '', approvals: to.decisions.length }
  const recorded = await deps.ledger.commit([
    ...approvalMoved(held, to, undefined),
    { kind: 'audit', entry: auditOf(ESCALATED, { ...call.row, approval_id }, now, { actor: 'gate', about }) },
  ])
  if (recorded === 'committed') return 'escalated'
  // Somebody decided at the same moment: check again.
  return isUnrecorded(recorded) ? 'later' : escalateApproval(deps, approval_id)
}
