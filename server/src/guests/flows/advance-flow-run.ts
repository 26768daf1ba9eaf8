import type { Caller } from '../../kernel/contract/caller.ts'
import { FLOW_SCHEMAS } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { advanceRequest } from './flow-requests.ts'
import { mayWorkOnStep } from './may-change-run.ts'
import { advanceStep } from './run-moves.ts'
import { changeRun, gated, stepsOf, type FlowPorts } from './flow-access.ts'
import { runView } from './flow-views.ts'
import type { RunAnswer } from './start-flow-run.ts'

/** Changes the status of one step of a run: in progress, blocked, done or skipped. */
export async function advanceFlowRun(
  deps: FlowPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<RunAnswer>> {
  const open = await gated(deps, 'writes')
  if (!open.ok) return open
  const asked = advanceRequest(body)
  if (!asked.ok) return asked
  const { step_id, status, skip_reason } = asked.value
  const changed = await changeRun(deps, caller, asked.value, async ({ row }) => {
    const step = (await stepsOf(deps, row)).find((one) => one.step_id === step_id)
    const moved = advanceStep(row, step, { step_id, status, skip_reason })
    if (!moved.ok) return moved
    const allowed = step === undefined ? ok(undefined) : mayWorkOnStep(caller, step)
    if (!allowed.ok) return allowed
    const about = { status, ...(skip_reason === null ? {} : { skip_reason }), run_status: moved.value.status }
    return ok({
      row: moved.value,
      did: {
        by: caller,
        type: 'flow.advanced',
        did: status,
        step_id,
        note: status === 'skipped' ? skip_reason : null,
        about,
      },
    })
  })
  return changed.ok ? ok({ schema: FLOW_SCHEMAS.run, run: runView(changed.value) }) : changed
}
