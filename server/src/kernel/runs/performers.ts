import type { HeldCallEffect } from '../attempt/held-call.ts'
import { escalateApproval } from '../approvals/escalate-approval.ts'
import { expireApproval } from '../approvals/end-approval.ts'
import { type EndDeps } from '../approvals/end-approval.ts'
import { withdrawHeld } from '../attempt/withdraw-call.ts'
import { resumeCall, type DecidedDeps } from '../attempt/decided.ts'
import { waitForCall, type WaitDeps } from '../attempt/wait-for-call.ts'
import type { PerformersOf } from './performer.ts'

export type HeldCallDeps = DecidedDeps & EndDeps & WaitDeps

/** How long a performer waits for a call that another node executes, before it checks whether that node is alive. */
const ELSEWHERE_MS = 10_000

export function heldCallPerformers(deps: HeldCallDeps): PerformersOf<HeldCallEffect> {
  return {
    async resume_call({ with: { call_id, approval_id } }, { signal }) {
      const outcome = await resumeCall(deps, call_id, approval_id)
      if (outcome === 'later') return 'later'
      if (outcome.status !== 'executing') return { type: 'effect.done', outcome: outcome.status }
      // Another node executes it. Its outcome is the run's; the run does not end before there is one.
      const row = (await deps.tables.row('calls', call_id))?.row
      if (row === undefined) return 'later'
      const patience = { signal: AbortSignal.any([signal, AbortSignal.timeout(ELSEWHERE_MS)]) }
      const { state } = await waitForCall(deps, row, patience, (now) => now.state !== 'executing')
      return state === 'executing' ? 'later' : { type: 'effect.done', outcome: state }
    },
    async withdraw_call({ with: { call_id, by } }) {
      const outcome = await withdrawHeld(deps, call_id, by)
      return outcome === 'later' ? 'later' : { type: 'effect.done', outcome }
    },
    async escalate_approval({ with: { approval_id } }) {
      const outcome = await escalateApproval(deps, approval_id)
      return outcome === 'later' ? 'later' : { type: 'effect.done', outcome }
    },
    async expire_approval({ with: { approval_id } }) {
      const expired = await expireApproval(deps, approval_id)
      return expired === 'later' ? 'later' : { type: 'effect.done', outcome: expired }
    },
  }
}
