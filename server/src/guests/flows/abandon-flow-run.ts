import type { Caller } from '../../kernel/contract/caller.ts'
import { FLOW_SCHEMAS } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { abandonRequest } from './flow-requests.ts'
import { inProgress } from './run-moves.ts'
import { addRunEvent } from '../../kernel/runs/run-changes.ts'
import { changeRun, gated, type FlowPorts } from './flow-access.ts'
import { runView } from './flow-views.ts'
import type { RunAnswer } from './start-flow-run.ts'

/** Ends a run that will not be finished. An execution in progress is asked to stop. */
export async function abandonFlowRun(
  deps: FlowPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<RunAnswer>> {
  const open = await gated(deps, 'writes')
  if (!open.ok) return open
  const asked = abandonRequest(body)
  if (!asked.ok) return asked
  const note = asked.value.reason === null ? null : await deps.judgement.scanner.redact(asked.value.reason, 'shown')
  const changed = await changeRun(deps, caller, asked.value, ({ row }) => {
    const running = inProgress(row)
    if (!running.ok) return running
    const open_executions = row.executions.filter(({ status }) => status === 'running')
    return ok({
      row: { ...row, status: 'abandoned' },
      did: { by: caller, type: 'flow.abandoned', did: 'abandoned', note },
      more: open_executions.flatMap(({ driven_by }) => addRunEvent(driven_by, { type: 'run.cancel', by: caller.id })),
    })
  })
  return changed.ok ? ok({ schema: FLOW_SCHEMAS.run, run: runView(changed.value) }) : changed
}
