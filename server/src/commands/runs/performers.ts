import type { ApprovalId, CallId } from '../../contract/ids.ts'
import { Bug } from '../../contract/problems.ts'
import type { RunEffect } from '../../contract/run.ts'
import type { Performer } from './drive-run.ts'
import { expireApproval, type ExpireDeps } from '../approvals/expire-approval.ts'
import { resumeCall, type ResumeDeps } from '../calls/resume-call.ts'
import { toolflowPerformers, type ToolflowEffectDeps } from '../toolflow/toolflow-effects.ts'

/** Who carries out which effect. All are safe to start again: the call's row knows what was already done. */
export function performersOf(deps: ResumeDeps & ExpireDeps & ToolflowEffectDeps): ReadonlyMap<string, Performer> {
  return new Map<string, Performer>([
    ...toolflowPerformers(deps),
    [
      'resume_call',
      {
        idempotent: true,
        async perform(effect) {
          const outcome = await resumeCall(deps, idOf<CallId>(effect, 'call_id'))
          return outcome === 'later' ? 'later' : { type: 'effect.done', outcome: outcome.status }
        },
      },
    ],
    [
      'expire_approval',
      {
        idempotent: true,
        async perform(effect) {
          const expired = await expireApproval(deps, idOf<ApprovalId>(effect, 'approval_id'))
          return expired === 'later' ? 'later' : { type: 'effect.done', outcome: expired }
        },
      },
    ],
  ])
}

function idOf<Id extends string>(effect: RunEffect, name: string): Id {
  const id = effect.with[name]
  if (typeof id !== 'string') throw new Bug(`the effect \`${effect.key}\` carries no ${name}`)
  return id as Id
}
