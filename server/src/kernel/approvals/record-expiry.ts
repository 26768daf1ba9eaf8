import type { Problem, Result } from '../contract/problems.ts'
import type { Held } from '../ports/reads.ts'
import { endApproval, type EndDeps } from './end-approval.ts'

const UNRECORDED: readonly string[] = ['audit.unavailable', 'audit.in_doubt']

/**
 * Refuses a decision. If the request has expired, the expiry is recorded first, without waiting for its timer.
 * INVARIANT: once somebody was told that a request has expired, it stays expired, even if the clock is set back afterwards.
 */
export async function refuseDecision(
  deps: EndDeps,
  held: Held<'approvals'> | undefined,
  problem: Problem,
): Promise<Result<never>> {
  const isOver =
    problem.code === 'approval.expired' && held?.row.state === 'pending' && deps.clock() >= held.row.expires_at
  if (!isOver) return { ok: false, problem }
  const ended = await endApproval(deps, held, 'gate', 'expire')
  // Somebody else may have ended it a moment before: then that is what the next answer says.
  const isUnrecorded = !ended.ok && UNRECORDED.includes(ended.problem.code)
  return { ok: false, problem: isUnrecorded ? ended.problem : problem }
}
