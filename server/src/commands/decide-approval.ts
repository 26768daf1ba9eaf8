import type { ApprovalRow } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import { problem, refuse, type Result } from '../contract/problems.ts'
import { approve, deny, type How } from '../core/approvals/transitions.ts'
import { auditOf } from './call-changes.ts'
import { approvalMoved, closeCall, heldCallOf } from './close-call.ts'
import type { Change, Clock, Held, Ledger, Probe, Shelves } from './ports.ts'

export type DecideDeps = {
  readonly shelves: Shelves
  readonly ledger: Ledger
  readonly clock: Clock
  readonly probe: Probe
}

export type ApprovalDecision = { readonly says: 'approve' | 'deny'; readonly reason?: string }

const TRIES = 8

/**
 * A person's yes or no, by role. It moves the request and wakes the call; it executes nothing.
 * INVARIANT: the first decision wins (for two people: the first of each), because the row's version moves once.
 */
export async function decideApproval(
  deps: DecideDeps,
  by: Caller,
  approval_id: string,
  decision: ApprovalDecision,
): Promise<Result<ApprovalRow>> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const held = await deps.shelves.row('approvals', approval_id)
    if (held === undefined) return refuse('approval.unknown', { approval_id })
    const move = decision.says === 'approve' ? approve : deny
    const moved = move(held.row, by, 'role', deps.clock(), decision.reason)
    if (!moved.ok) return moved
    const changes = await decisionChanges(deps, held, moved.value, by, 'role')
    deps.probe('decision.before')
    const recorded = await deps.ledger.commit(changes)
    deps.probe('decision.after')
    if (recorded === 'committed') return moved
    if (recorded === 'unavailable') return refuse('audit.unavailable')
  }
  return refuse('approval.not_pending', { approval_id })
}

/** Everything that becomes true with a decision, whichever of the two ways it came. */
export async function decisionChanges(
  deps: DecideDeps,
  held: Held<'approvals'>,
  to: ApprovalRow,
  by: Caller,
  how: How,
): Promise<Change[]> {
  const now = deps.clock()
  const call = await heldCallOf(deps.shelves, to)
  if (to.state === 'denied') {
    return closeCall({ held, to }, call, problem('approval.denied', { approval_id: to.approval_id }), by.id, now)
  }
  const isApproved = to.state === 'approved'
  const event = isApproved ? { type: 'approval.approved', approval_id: to.approval_id } : undefined
  const type = isApproved ? 'approval.approved' : 'approval.seconded'
  return [
    ...approvalMoved(held, to, event),
    { kind: 'audit', entry: auditOf(type, call.row, now, { actor: by.id, about: { how, strength: to.strength } }) },
  ]
}
