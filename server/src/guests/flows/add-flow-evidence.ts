import type { Caller } from '../../kernel/contract/caller.ts'
import { FLOW_SCHEMAS } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { evidenceRequest } from './flow-requests.ts'
import { mayWorkOnStep } from './may-change-run.ts'
import { takesEvidence, withEvidence } from './run-moves.ts'
import { checkEvidence, type EvidencePorts } from './check-evidence.ts'
import { changeRun, gated, stepsOf } from './flow-access.ts'
import { runView } from './flow-views.ts'
import type { RunAnswer } from './start-flow-run.ts'

/** Attaches a pointer to a step. It is verified, not trusted. */
export async function addFlowEvidence(
  deps: EvidencePorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<RunAnswer>> {
  const open = await gated(deps, 'writes')
  if (!open.ok) return open
  const asked = evidenceRequest(body)
  if (!asked.ok) return asked
  const { step_id, evidence_ref, pointer_kind } = asked.value
  const changed = await changeRun(deps, caller, asked.value, async ({ row }) => {
    const takes = takesEvidence(row, step_id)
    if (!takes.ok) return takes
    const step = (await stepsOf(deps, row)).find((one) => one.step_id === step_id)
    if (step === undefined) return bad('Unknown step')
    const allowed = mayWorkOnStep(caller, step)
    if (!allowed.ok) return allowed
    const checked = await checkEvidence(deps, caller, row, step, { evidence_ref, pointer_kind })
    if (!checked.ok) return checked
    const { verified } = checked.value
    return ok({
      row: withEvidence(row, { step_id, evidence_ref, pointer_kind, verified }),
      did: {
        by: caller,
        type: 'flow.evidence',
        did: 'evidence',
        step_id,
        note: `${pointer_kind} ${evidence_ref}`,
        about: { pointer_kind, evidence_ref, verified },
      },
    })
  })
  return changed.ok ? ok({ schema: FLOW_SCHEMAS.run, run: runView(changed.value) }) : changed
}
