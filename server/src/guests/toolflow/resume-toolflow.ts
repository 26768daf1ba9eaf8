import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { ToolflowAnswer, ToolflowView } from './toolflow.ts'
import { mayDecide } from '../../kernel/approvals/may-decide.ts'
import { decideApproval } from '../../kernel/approvals/decide-approval.ts'
import { editApproval, type EditPorts } from '../../kernel/approvals/edit-approval.ts'
import type { MintPorts } from '../../kernel/consents/mint-consent.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import type { Site } from '../../kernel/ports/keys.ts'
import type { Probe } from '../../kernel/ports/runtime.ts'
import { flowOf, waitForView, type ReadToolflowPorts } from './read-toolflow.ts'
import { refuse } from './problems.ts'

export type ResumeToolflowPorts = ReadToolflowPorts & EditPorts & MintPorts & PasskeyPorts & { readonly probe: Probe }

const WAIT_MS = 30_000

/**
 * A person's answer to the packet of a flow, by the same commands as everywhere else; the held call continues, and the flow with
 * it.
 * INVARIANT: only somebody who may decide an approval gets this far, and only about the request that this flow waits for.
 */
export async function resumeToolflow(
  deps: ResumeToolflowPorts,
  by: Caller,
  run_id: string,
  { approval_id, choice, args, reason, typed, passphrase, passkey, digest, unfolded }: ToolflowAnswer,
  wait_ms: number = WAIT_MS,
  site?: Site,
): Promise<Result<ToolflowView>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const flow = await flowOf(deps, by, run_id)
  if (flow === undefined) return refuse('toolflow.unknown', { run_id })
  const approval = await deps.tables.row('approvals', approval_id)
  const isOwn = approval !== undefined && approval.row.call_id === flow.state.call?.call_id
  if (!isOwn) return refuse('approval.unknown', { approval_id })
  const view = (isAtRest: (view: ToolflowView) => boolean) => waitForView(deps, flow.run.run_id, wait_ms, isAtRest)
  if (choice === 'Edit Inputs') {
    if (args === undefined) return refuse('request.invalid', { paths: 'args: the edited inputs are missing' })
    const edited = await editApproval(deps, by, approval_id, args, digest === undefined ? {} : { digest })
    return edited.ok ? ok(await view(() => true)) : edited
  }
  if (args !== undefined) return refuse('request.invalid', { paths: 'args: only with `Edit Inputs`' })
  const why = reason === undefined ? {} : { reason }
  const proof = {
    digest: digest ?? '',
    ...(unfolded === undefined ? {} : { unfolded }),
    ...(typed === undefined ? {} : { typed }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(passkey === undefined || site === undefined ? {} : { passkey: { assertion: passkey, site } }),
  }
  const decision =
    choice === 'Cancel' ? ({ says: 'deny', ...why } as const) : ({ says: 'approve', ...why, ...proof } as const)
  const decided = await decideApproval(deps, by, approval_id, decision)
  if (!decided.ok) return decided
  // A second person may have to approve first.
  const isOpen = decided.value.state === 'pending'
  return ok(await view(({ status }) => isOpen || (status !== 'RUNNING' && status !== 'ASK')))
}
